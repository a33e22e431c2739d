"""The role in deploy/rbac.yaml beside what the API server's audit log says that the scheduler did."""
import json
import unittest

from api import FOLDER, Api

USER = "system:serviceaccount:cadre-system:cadre-scheduler"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
ROLES = (f"{RBAC}/clusterroles/cadre-scheduler", f"{RBAC}/namespaces/kube-system/roles/cadre-scheduler")

# What no test makes the scheduler do, and why it may.
NOT_PROVOKED = {
    ("jobset.x-k8s.io", "jobsets"): "not installed here",
    ("leaderworkerset.x-k8s.io", "leaderworkersets"): "not installed here",
    ("", "pods/eviction"): "only for groups without an owner that cannot be made whole",
}


def requests():
    """(group, resource, verb, status) of each request of the scheduler."""
    for line in (FOLDER / "audit.log").read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["user"]["username"] != USER or "objectRef" not in event:
            continue
        ref = event["objectRef"]
        resource = ref.get("resource", "") + ("/" + ref["subresource"] if "subresource" in ref else "")
        yield ref.get("apiGroup", ""), resource, event["verb"], event["responseStatus"]["code"]


def granted(rules):
    return {(group, resource, verb) for rule in rules for group in rule["apiGroups"]
            for resource in rule["resources"] for verb in rule["verbs"]}


class TheRole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        api = Api()
        cls.granted = granted(rule for role in ROLES for rule in api.request("GET", role)["rules"])
        api.close()
        cls.requests = set(requests())

    def test_allows_everything_that_the_scheduler_does(self):
        self.assertTrue(self.requests, "the audit log names no request of the scheduler")
        self.assertEqual(sorted(r[:3] for r in self.requests if r[3] == 403), [])

    def test_allows_nothing_that_the_scheduler_never_does(self):
        used = {request[:3] for request in self.requests}
        unused = {verb for verb in self.granted - used if verb[:2] not in NOT_PROVOKED}
        self.assertEqual(sorted(unused), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
