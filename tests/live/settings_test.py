"""What the configuration file of the scheduler says, it does."""
import time
import unittest

import programs
from api import FOLDER, await_that
from case import LiveCase

CONFIG = """
apiVersion: cadre.dev/v1alpha1
kind: SchedulerConfiguration
leaderElection: {leaderElect: false}
"""


class ConfigurationFile(LiveCase):
    def start_with(self, fields):
        path = FOLDER / "scheduler-config.yaml"
        path.write_text(CONFIG + fields, encoding="utf-8")
        return self.start(lambda: programs.scheduler("--config", str(path)))

    def test_keeps_the_scheduler_to_the_nodes_that_it_selects(self):
        self.start_with("nodeSelector: {rack: rack-1}\n")
        self.submit("fits", 4, 2)
        self.submit("too-large", 6, 2)
        self.await_placed("fits", 4)
        self.assertEqual({pod["spec"]["nodeName"] for pod in self.placed("fits")}, {"node-2", "node-3"})
        await_that("a member of the other is told why",
                   lambda: any("outside the scheduler's nodes (rack=rack-1)" in condition.get("message", "")
                               for pod in self.pods_of("too-large")
                               for condition in pod["status"].get("conditions", [])))
        self.check()

    def test_bounds_how_fast_it_writes(self):
        self.start_with("clientConnection: {qps: 2, burst: 2}\n")
        self.submit("slow", 8, 1)
        await_that("the first is bound", lambda: self.placed("slow"))
        begin = time.monotonic()
        self.await_placed("slow", 8)
        # Six more at two per second.
        self.assertGreater(time.monotonic() - begin, 2)
        self.check()


if __name__ == "__main__":
    unittest.main(verbosity=2)
