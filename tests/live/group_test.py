"""The group and its pods drift apart: PodGroups that go and come back, members that are made again."""
import unittest

from api import NAMESPACE, Refused, await_that, pod_spec
from case import LiveCase

PODGROUPS = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups"
GROUP_LABEL = "scheduling.x-k8s.io/pod-group"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
# As much of scheduler-plugins' PodGroup as is needed to store one. The native one cannot be deleted under its pods: the
# API server keeps it until they are gone.
CRD = {
    "metadata": {"name": "podgroups.scheduling.x-k8s.io",
                 "annotations": {"api-approved.kubernetes.io": "unapproved, for tests"}},
    "spec": {"group": "scheduling.x-k8s.io", "scope": "Namespaced",
             "names": {"plural": "podgroups", "singular": "podgroup", "kind": "PodGroup", "listKind": "PodGroupList"},
             "versions": [{"name": "v1alpha1", "served": True, "storage": True, "subresources": {"status": {}},
                           "schema": {"openAPIV3Schema": {"type": "object",
                                                          "x-kubernetes-preserve-unknown-fields": True}}}]}}


class NativePodGroups(LiveCase):
    NATIVE = "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups"

    def test_a_gang_of_one_waits_for_its_last_member(self):
        self.start_all()
        self.api.create(self.NATIVE, {"metadata": {"name": "native"},
                                      "spec": {"schedulingPolicy": {"gang": {"minCount": 3}}}})
        self.addCleanup(self.api.delete, f"{self.NATIVE}/native")
        for member in range(3):
            bound = [pod for pod in self.api.pods() if pod["spec"].get("nodeName")]
            self.assertEqual(bound, [], f"only {member} of three members are there")
            self.api.create(f"{NAMESPACE}/pods", {
                "metadata": {"name": f"native-{member}"},
                "spec": {**pod_spec(4), "schedulingGroup": {"podGroupName": "native"}}})
        await_that("all three are placed", lambda: len([p for p in self.api.pods() if p["spec"].get("nodeName")]) == 3)
        self.check(partly=False)


class GroupsAndTheirPods(LiveCase):
    def setUp(self):
        super().setUp()
        self.api.create(CRDS, CRD)
        self.addCleanup(self.remove_crd)
        await_that("PodGroups are served", self.is_served)

    def is_served(self):
        try:
            self.api.items(PODGROUPS)
            return True
        except Refused:
            return False

    def remove_crd(self):
        self.api.delete(f"{CRDS}/{CRD['metadata']['name']}")
        await_that("PodGroups are not served", lambda: not self.is_served())

    def add_podgroup(self, name, minimum):
        self.api.create(PODGROUPS, {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",
                                    "metadata": {"name": name}, "spec": {"minMember": minimum}})

    def add_member(self, group, name, cpu):
        self.api.create(f"{NAMESPACE}/pods", {"metadata": {"name": name, "labels": {GROUP_LABEL: group}},
                                              "spec": pod_spec(cpu)})

    def nodes_of(self, group):
        return {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in self.api.pods()
                if pod["metadata"].get("labels", {}).get(GROUP_LABEL) == group}

    def await_all_placed(self, group, count):
        await_that(f"{count} pods of {group} have a node",
                   lambda: len([node for node in self.nodes_of(group).values() if node]) == count)

    def test_a_podgroup_deleted_under_running_pods_and_made_again_changes_nothing(self):
        self.start_all()
        self.add_podgroup("one", 3)
        self.addCleanup(self.api.delete, f"{PODGROUPS}/one")
        self.add_podgroup("two", 2)
        self.addCleanup(self.api.delete, f"{PODGROUPS}/two")
        for member in range(3):
            self.add_member("one", f"one-{member}", 4)
        self.await_all_placed("one", 3)
        before = self.nodes_of("one")
        self.api.delete(f"{PODGROUPS}/one")
        self.add_podgroup("one", 3)
        for member in range(2):
            self.add_member("two", f"two-{member}", 4)
        # One node is free; the other three are held by the group whose object was deleted.
        self.add_member("one", "one-late", 1)
        self.await_all_placed("one", 4)
        self.assertEqual({name: node for name, node in self.nodes_of("one").items() if name != "one-late"}, before)
        self.assertEqual(set(self.nodes_of("two").values()), {None})
        self.check(partly=False)

    def test_members_that_were_placed_are_made_again_under_new_names_and_take_their_places(self):
        self.start_all()
        self.submit("train", 4, 4, "10m")
        self.await_placed("train", 4)
        names = [pod["metadata"]["name"] for pod in self.pods_of("train")]
        for name in names[:2]:
            self.api.delete(f"{NAMESPACE}/pods/{name}")
        await_that("two members have new names and a node",
                   lambda: len({p["metadata"]["name"] for p in self.placed("train")} - set(names)) == 2, 40)
        self.await_placed("train", 4)
        self.check(partly=False)

    def test_losing_one_member_touches_no_other(self):
        self.start_all()
        self.add_podgroup("one", 3)
        self.addCleanup(self.api.delete, f"{PODGROUPS}/one")
        for member in range(3):
            self.add_member("one", f"one-{member}", 4)
        self.await_all_placed("one", 3)
        before = self.nodes_of("one")
        self.api.patch(f"{NAMESPACE}/pods/one-1", {"metadata": {"labels": {"changed": "yes"}}})
        self.api.delete(f"{NAMESPACE}/pods/one-2")
        await_that("the member is gone", lambda: "one-2" not in self.nodes_of("one"))
        self.submit("next", 2, 4, "2s")  # the node that was free and the one of the lost member
        self.await_complete("next")
        self.assertEqual(self.nodes_of("one"), {name: before[name] for name in ("one-0", "one-1")})
        self.check(partly=False)


if __name__ == "__main__":
    unittest.main(verbosity=2)
