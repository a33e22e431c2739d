"""What the tests have in common: a cluster of nodes, the programs, and the checker after each."""
import unittest

import checker
import programs
from api import FOLDER, JOBS, Api, await_that, gang, is_true


class LiveCase(unittest.TestCase):
    NODES = 4
    CPU = 4

    def setUp(self):
        self.api = Api()
        self.addCleanup(self.api.close)
        self.api.remove_everything()
        self.addCleanup(self.api.remove_everything)
        for node in range(self.NODES):
            self.api.add_node(f"node-{node}", self.CPU, {"rack": f"rack-{node // 2}"})
        self.started = []

    def start(self, make):
        """A program that is stopped after the test, whatever comes of it."""
        program = make()
        self.addCleanup(program.stop)
        return program

    def start_all(self):
        self.start(programs.kubelets)
        return self.start(programs.scheduler)

    def check(self, partly=True):
        self.assertEqual(checker.problems(self.api, partly=partly), [])

    def submit(self, *arguments, **options):
        self.api.create(JOBS, gang(*arguments, **options))

    def pods_of(self, name):
        return [pod for pod in self.api.pods() if checker.group_of(pod) == name]

    def placed(self, name):
        return [pod for pod in self.pods_of(name) if checker.holds_node(pod)]

    def complete(self, name):
        job = self.api.request("GET", f"{JOBS}/{name}")
        self.assertFalse(is_true(job, "Failed"), f"Job {name} has failed")
        return is_true(job, "Complete")

    def await_complete(self, name, within_s=60):
        await_that(f"Job {name} is complete", lambda: self.complete(name), within_s)

    def await_placed(self, name, count, within_s=60):
        await_that(f"{count} members of {name} are placed", lambda: len(self.placed(name)) == count, within_s,
                   lambda: self.state_of(name))

    def state_of(self, name):
        """What pods of a Job and the scheduler say, for a test that waits in vain."""
        lines = [f"{pod['metadata']['name']}: {pod['status'].get('phase')}, node {pod['spec'].get('nodeName')}, "
                 f"{[condition.get('message') for condition in pod['status'].get('conditions', [])]}"
                 for pod in self.pods_of(name)]
        log = FOLDER / "cadre-scheduler.log"
        if log.exists():
            lines += log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:]
        return "\n".join(lines)
