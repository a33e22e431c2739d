"""Others use the same nodes: kube-scheduler, DaemonSets, and whoever was there first."""
import unittest

import checker
import programs
from api import NAMESPACE, await_that, pod_spec
from case import LiveCase

DAEMONSETS = "/apis/apps/v1/namespaces/default/daemonsets"


class OthersOnTheSameNodes(LiveCase):
    def add_pods(self, prefix, count, cpu, **spec):
        for number in range(count):
            self.api.create(f"{NAMESPACE}/pods", {"metadata": {"name": f"{prefix}-{number}"},
                                                  "spec": {**pod_spec(cpu, "default-scheduler"), **spec}})

    def bound(self, prefix):
        return [pod for pod in self.api.pods()
                if pod["metadata"]["name"].startswith(prefix) and checker.holds_node(pod)]

    def test_pods_that_were_bound_before_the_start_count(self):
        self.add_pods("early", 4, 3)
        await_that("kube-scheduler has bound four pods", lambda: len(self.bound("early")) == 4)
        self.submit("train", 4, 2, "2s")
        self.start(programs.scheduler)
        self.submit("small", 4, 1, "2s")
        self.await_placed("small", 4)
        self.check()
        self.assertEqual(self.placed("train"), [], "there is room for one CPU on each node, not for two")
        for pod in self.bound("early"):
            self.api.delete(f"{NAMESPACE}/pods/{pod['metadata']['name']}", grace=0)
        self.await_placed("train", 4)
        self.check()

    def test_kube_scheduler_binds_at_the_same_time_and_all_gangs_are_whole(self):
        """A foreign bind of the same instant may take a place; the kubelet refuses, and the member is placed again."""
        self.start_all()
        for number in range(8):
            self.submit(f"gang-{number}", 3, 1, "2s", backoffLimit=20)
            self.add_pods(f"foreign-{number}", 2, 1)
        for number in range(8):
            self.await_complete(f"gang-{number}", 120)
        self.assertEqual(checker.half_placed(self.api.jobs(), self.api.pods()), [])

    def test_pods_of_a_daemonset_count(self):
        spec = pod_spec(1, "default-scheduler")
        spec["restartPolicy"] = "Always"
        self.api.create(DAEMONSETS, {
            "metadata": {"name": "agent"},
            "spec": {"selector": {"matchLabels": {"app": "agent"}},
                     "template": {"metadata": {"labels": {"app": "agent"}}, "spec": spec}}})
        self.addCleanup(self.api.delete, f"{DAEMONSETS}/agent")
        await_that("there is an agent on each node", lambda: len(self.bound("agent")) == self.NODES)
        self.start(programs.scheduler)
        self.submit("whole-nodes", 4, 4)
        self.submit("the-rest", 4, 3)
        self.await_placed("the-rest", 4)
        self.assertEqual(self.placed("whole-nodes"), [])
        self.check()


if __name__ == "__main__":
    unittest.main(verbosity=2)
