"""Two schedulers run, one leads; and what they answer to a kubelet and to Prometheus."""
import re
import time
import unittest
import urllib.error
import urllib.request

import programs
from api import await_that
from case import LiveCase

LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cadre-scheduler"
LEASE_S = 3
FLAGS = (f"--leader-elect-lease-duration={LEASE_S}s", "--leader-elect-renew-deadline=2s",
         "--leader-elect-retry-period=200ms")


def read(port, path):
    """(status, text)."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


class TwoSchedulers(LiveCase):
    def holder(self):
        return self.api.request("GET", LEASE)["spec"]["holderIdentity"]

    def start_scheduler(self):
        scheduler = programs.scheduler(*FLAGS)
        # The test may have killed it.
        self.addCleanup(lambda: scheduler.process.poll() is None and scheduler.stop())
        return scheduler

    def test_the_other_takes_over_when_the_leader_is_killed_and_no_gang_is_lost(self):
        self.start(programs.kubelets)
        first = self.start_scheduler()
        self.submit("before", 4, 2, "1s")
        self.await_complete("before")
        leader = self.holder()
        self.start_scheduler()
        self.submit("half-way", 4, 4, "3s")
        self.await_placed("half-way", 4)
        first.kill()
        killed = time.monotonic()
        self.submit("after", 4, 4, "1s")
        await_that("another leads", lambda: self.holder() not in (leader, ""), LEASE_S + 10)
        print(f"another leads {time.monotonic() - killed:.1f} s after the leader was killed (lease: {LEASE_S} s)")
        self.await_complete("half-way")
        self.await_complete("after")
        self.check()

    def test_the_other_takes_over_at_once_when_the_leader_is_stopped(self):
        first = self.start_scheduler()
        await_that("one leads", lambda: "schedules at" in first.end_of_log())
        leader = self.holder()
        self.start_scheduler()
        first.stop()
        stopped = time.monotonic()
        await_that("another leads", lambda: self.holder() not in (leader, ""), 10)
        self.assertLess(time.monotonic() - stopped, LEASE_S - 1, "it waited for the lease to run out")


class HealthAndMetrics(LiveCase):
    PORT = 10289

    def test_ready_when_the_cluster_has_been_read_and_counts_what_it_binds(self):
        self.start(programs.kubelets)
        self.start(lambda: programs.Program("scheduler", programs.SCHEDULER, f"--health-port={self.PORT}", *FLAGS))
        await_that("it is ready and leads", lambda: read(self.PORT, "/readyz")[0] == 200 and
                   "cadre_scheduler_leader 1" in read(self.PORT, "/metrics")[1])
        self.assertEqual(read(self.PORT, "/healthz"), (200, "ok"))
        self.assertEqual(read(self.PORT, "/readyz?verbose"),
                         (200, "[+]ping ok\n[+]informer-sync ok\n[+]shutdown ok\nreadyz check passed\n"))
        self.assertEqual(read(self.PORT, "/elsewhere")[0], 404)
        self.submit("train", 4, 2, "1s")
        self.submit("too-large", 8, 4, "1s")
        self.await_complete("train")
        text = read(self.PORT, "/metrics")[1]
        binds = re.search(r'cadre_scheduler_writes_total\{lane="bind",outcome="done"\} (\d+)', text)
        self.assertEqual(int(binds.group(1)), 4)
        self.assertIn('cadre_scheduler_groups{state="waiting"} 1', text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
