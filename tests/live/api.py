"""A client of the API server, and the objects that tests make."""
import http.client
import json
import os
import pathlib
import re
import ssl
import time

FOLDER = pathlib.Path(os.environ.get("CADRE_CONTROLPLANE_FOLDER", "/nonexistent"))
JSON = "application/json"
MERGE = "application/merge-patch+json"
NAMESPACE = "/api/v1/namespaces/default"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
ANSWERS_WITHIN_S = 60


class Refused(Exception):
    """The API server answered with an error."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


class Api:
    """One connection, one request at a time, as the cluster's administrator."""

    def __init__(self):
        config = (FOLDER / "admin.kubeconfig").read_text(encoding="utf-8")
        self.port = int(re.search(r"https://127\.0\.0\.1:(\d+)", config).group(1))
        self.context = ssl.create_default_context(cafile=FOLDER / "ca.crt")
        self.context.load_cert_chain(FOLDER / "admin.crt", FOLDER / "admin.key")
        self.connection = None

    def request(self, method, path, body=None, content=JSON):
        for attempt in range(2):
            if self.connection is None:
                self.connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context,
                                                              timeout=ANSWERS_WITHIN_S)
            try:
                self.connection.request(method, path, None if body is None else json.dumps(body),
                                        {"Content-Type": content, "Accept": JSON})
                answer = self.connection.getresponse()
                text = answer.read()
                break
            except (http.client.HTTPException, OSError):
                self.close()  # the server has closed it while nobody used it
                if attempt == 1:
                    raise
        if not answer.getheader("Content-Type", "").startswith(JSON):
            raise Refused(answer.status, text.decode(errors="replace"))
        result = json.loads(text)
        if answer.status >= 400:
            raise Refused(answer.status, result.get("message", ""))
        return result

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def create(self, path, body):
        return self.request("POST", path, body)

    def delete(self, path, grace=None):
        options = {"propagationPolicy": "Background"}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        try:
            self.request("DELETE", path, options)
        except Refused as refused:
            if refused.status != 404:
                raise

    def patch(self, path, body):
        return self.request("PATCH", path, body, MERGE)

    def items(self, path):
        return self.request("GET", path)["items"]

    def pods(self):
        return self.items(f"{NAMESPACE}/pods")

    def jobs(self):
        return self.items(JOBS)

    def add_node(self, name, cpu, labels=None, pods=110):
        offered = {"cpu": str(cpu), "memory": "64Gi", "pods": str(pods)}
        self.create("/api/v1/nodes", {"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name,
                                                                            **(labels or {})}}})
        self.patch(f"/api/v1/nodes/{name}/status",
                   {"status": {"allocatable": offered, "capacity": offered,
                               "conditions": [{"type": "Ready", "status": "True"}]}})

    def remove_everything(self):
        """What tests have made; waits until it is gone."""
        deadline = time.monotonic() + 60
        while True:
            for job in self.jobs():
                self.delete(f"{JOBS}/{job['metadata']['name']}")
            pods = self.pods()
            for pod in pods:
                self.delete(f"{NAMESPACE}/pods/{pod['metadata']['name']}", grace=0)
            if not pods and not self.jobs():
                break
            if time.monotonic() > deadline:
                raise RuntimeError(f"{len(pods)} pods cannot be removed")
            time.sleep(0.2)
        for node in self.items("/api/v1/nodes"):
            self.delete(f"/api/v1/nodes/{node['metadata']['name']}")


def pod_spec(cpu, scheduler="cadre"):
    return {"schedulerName": scheduler, "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "busybox", "resources": {"requests": {"cpu": str(cpu)}}}]}


def gang(name, members, cpu, runs="2s", annotations=None, **spec):
    """An Indexed Job whose pods all run at once."""
    template = {"metadata": {"annotations": {"cadre.dev/sim-duration": runs, **(annotations or {})}},
                "spec": pod_spec(cpu)}
    return {"metadata": {"name": name},
            "spec": {"completions": members, "parallelism": members, "completionMode": "Indexed",
                     "template": template, **spec}}


def await_that(what, holds, within_s=60.0, explain=lambda: ""):
    """Polls until it holds; the API server tells no single event that says so. `explain` is asked when it never does."""
    deadline = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within_s:g} s: {what}\n{explain()}")
        time.sleep(0.05)


def is_true(job, condition):
    return any(c["type"] == condition and c["status"] == "True" for c in job.get("status", {}).get("conditions", []))
