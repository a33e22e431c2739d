"""The scheduler is killed again and again; everything it knew is in the API."""
import os
import random
import time
import unittest

import checker
import programs
from api import JOBS, Api, await_that, gang, is_true

KILLS = int(os.environ.get("CADRE_KILLS", "50"))
SEED = int(os.environ.get("CADRE_SEED", "1"))
RUNNING = WAITING = 10
NODES = 10


class KilledAtAnyInstant(unittest.TestCase):
    def setUp(self):
        self.api = Api()
        self.api.remove_everything()
        for node in range(NODES):
            self.api.add_node(f"node-{node}", 4, {"rack": f"rack-{node // 2}"})
        self.kubelets = programs.kubelets()
        self.scheduler = programs.lone_scheduler()

    def tearDown(self):
        self.kubelets.stop()
        self.scheduler.stop()
        self.api.remove_everything()
        self.api.close()

    def check(self, partly=False):
        self.assertEqual(checker.problems(self.api, partly=partly), [])

    def submit(self, number, runs):
        """Every third gang has a rack to itself: it needs half of one."""
        exclusive = {"cadre.dev/exclusive-topology": "rack"} if number % 3 == 0 else {}
        self.api.create(JOBS, gang(f"gang-{number}", 2, 2, runs, exclusive))

    def all_complete(self, count):
        jobs = self.api.jobs()
        failed = [job["metadata"]["name"] for job in jobs if is_true(job, "Failed")]
        self.assertEqual(failed, [], "a Job has failed")
        return sum(is_true(job, "Complete") for job in jobs) == count

    def test_ten_groups_run_and_ten_wait_and_nothing_is_lost_leaked_or_doubled(self):
        chance = random.Random(SEED)
        print(f"CADRE_SEED={SEED} CADRE_KILLS={KILLS}")
        for number in range(RUNNING + WAITING):
            self.submit(number, "3s")
        submitted = RUNNING + WAITING
        for _ in range(KILLS):
            time.sleep(chance.uniform(0.05, 1.2))  # the instant is what is random here
            self.scheduler.kill()
            self.check()
            self.scheduler.start()
            # As many groups wait at every kill as at the first.
            unfinished = [job for job in self.api.jobs() if not is_true(job, "Complete")]
            for _ in range(RUNNING + WAITING - len(unfinished)):
                self.submit(submitted, "3s")
                submitted += 1
        await_that("every group has run", lambda: self.all_complete(submitted), 180)
        self.check(partly=True)
        made = {}
        for pod in self.api.pods():
            made.setdefault(checker.group_of(pod), []).append(pod)
        self.assertEqual({name: len(pods) for name, pods in made.items() if len(pods) != 2}, {},
                         "a member was made more than once")


if __name__ == "__main__":
    unittest.main(verbosity=2)
