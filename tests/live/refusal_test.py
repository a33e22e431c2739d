"""A kubelet refuses a member that was bound to its node: the pod is Failed for good, and another takes its place."""
import unittest

from api import NAMESPACE, await_that
from case import LiveCase

REASONS = ("OutOfcpu", "OutOfpods", "UnexpectedAdmissionError", "TopologyAffinityError")


class RefusedByTheKubelet(LiveCase):
    def refuse(self, pod, reason):
        self.api.patch(f"{NAMESPACE}/pods/{pod['metadata']['name']}/status",
                       {"status": {"phase": "Failed", "reason": reason, "message": "Pod was rejected"}})

    def refused_member_is_placed_again(self, reason):
        name = reason.lower()
        self.submit(name, 3, 1, "3s", backoffLimit=6)
        self.await_placed(name, 3)
        pod = self.placed(name)[1]
        self.refuse(pod, reason)
        await_that(f"another pod has the place of the one refused with {reason}",
                   lambda: len(self.placed(name)) == 3 or self.complete(name), 40)
        self.await_complete(name, 40)
        self.check()

    def test_its_replacement_is_placed_whatever_the_reason(self):
        self.start_all()
        for reason in REASONS:
            with self.subTest(reason):
                self.refused_member_is_placed_again(reason)


if __name__ == "__main__":
    unittest.main(verbosity=2)
