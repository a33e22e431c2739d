"""Many Jobs at once on an API server that cannot take the load."""
import collections
import os
import random
import time
import unittest

import checker
from api import JOBS, Refused, gang, is_true
from case import LiveCase

COUNT = int(os.environ.get("CADRE_BULK_JOBS", "150"))
WITHIN_S = 60 + COUNT * 0.6


class ManyJobsAtOnce(LiveCase):
    NODES = 20
    CPU = 16

    def patiently(self, act):
        """The API server turns the test away as well."""
        for _ in range(600):
            try:
                return act()
            except Refused as refused:
                if refused.status != 429:
                    raise
                time.sleep(0.1)  # what Retry-After says would be a whole second
        self.fail("the API server has said 429 for a minute")

    def standing(self):
        """(jobs complete, members placed by unfinished gang) of one instant."""
        jobs = self.patiently(self.api.jobs)
        pods = self.patiently(self.api.pods)
        self.assertEqual([j["metadata"]["name"] for j in jobs if is_true(j, "Failed")], [])
        nodes = self.patiently(lambda: self.api.items("/api/v1/nodes"))
        self.assertEqual(checker.over_committed(nodes, pods) + checker.doubled(pods), [])
        done = sum(is_true(job, "Complete") for job in jobs)
        return done, set(checker.half_placed([j for j in jobs if not is_true(j, "Complete")], pods))

    def test_all_finish_and_none_stays_half_placed(self):
        self.start_all()
        chance = random.Random(1)
        began = time.monotonic()
        for number in range(COUNT):
            job = gang(f"bulk-{number}", chance.randint(2, 6), 1, f"{chance.randint(1, 2)}s")
            self.patiently(lambda job=job: self.api.create(JOBS, job))
        half_since = {}
        samples = collections.Counter()
        while True:
            done, half = self.standing()
            now = time.monotonic()
            # A gang is bound one pod after the other, so a sample may see some of it; never the same for long.
            half_since = {what: half_since.get(what, now) for what in half}
            samples["half"] += len(half)
            samples["all"] += 1
            self.assertEqual([what for what, since in half_since.items() if now - since > 20], [])
            if done == COUNT:
                break
            self.assertLess(now - began, WITHIN_S, f"{done} of {COUNT} Jobs are complete")
            time.sleep(0.5)  # between two samples
        print(f"{COUNT} Jobs in {time.monotonic() - began:.0f} s, {samples['all']} samples, "
              f"{samples['half']} sights of a gang on its way")


if __name__ == "__main__":
    unittest.main(verbosity=2)
