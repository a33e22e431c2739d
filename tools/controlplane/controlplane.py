#!/usr/bin/env python3
"""Starts a real control plane on loopback: etcd, kube-apiserver, kube-controller-manager, kube-scheduler.

Usage: controlplane.py [OPTIONS] [-- COMMAND...]

Runs COMMAND with KUBECONFIG set and ends with its exit code; without one it prints where the control plane is and
runs until Ctrl-C. Everything it writes is in one folder; nothing of it is left running. The programs are built by
`build`, which stands beside this file, the first time (some minutes).

Examples:
  tools/controlplane/controlplane.py
      a control plane to play with; in another shell: export KUBECONFIG=..., as it says
  tools/controlplane/controlplane.py --kube-scheduler -- build/asan/cluster_test
      tests on one that also runs kube-scheduler
"""
import argparse
import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from certificates import Authority

HERE = pathlib.Path(__file__).resolve().parent
READY_WITHIN_S = 90
STOPS_WITHIN_S = 20
PR_SET_PDEATHSIG = 1

# Native gang scheduling of 1.36 (KEP-4671), which is off by default.
GANG_GATES = "GenericWorkload=true,GangScheduling=true,TopologyAwareWorkloadScheduling=true,WorkloadAwarePreemption=true"

AUDIT_POLICY = """apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
"""


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kube-scheduler", action="store_true", help="run kube-scheduler too")
    parser.add_argument("--native-gang", action="store_true",
                        help="turn on the feature gates of native gang scheduling and serve its API")
    parser.add_argument("--unlimited", action="store_true",
                        help="for measuring throughput: no priority and fairness, controllers at 5000 requests/s")
    parser.add_argument("--overloaded", action="store_true",
                        help="an API server that takes 10 requests at once and answers 429 to the rest; controllers "
                             "at 5000 requests/s that run into it")
    parser.add_argument("--audit", action="store_true", help="write each request to FOLDER/audit.log")
    parser.add_argument("--folder", help="where its files go (default: a temporary one, removed at the end)")
    parser.add_argument("command", nargs="*", metavar="COMMAND")
    return parser.parse_args(arguments)


def build_programs():
    done = subprocess.run([HERE / "build"], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
    return pathlib.Path(done.stdout.splitlines()[-1])


def free_ports(count):
    """Ports that are free now; held together so that they differ."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def kubeconfig_of(server, folder, name):
    """References files, so that a test can tell certificates apart; `folder` is absolute."""
    return f"""apiVersion: v1
kind: Config
current-context: cadre
clusters: [{{name: cadre, cluster: {{server: "{server}", certificate-authority: {folder}/ca.crt}}}}]
users: [{{name: {name}, user: {{client-certificate: {folder}/{name}.crt, client-key: {folder}/{name}.key}}}}]
contexts: [{{name: cadre, context: {{cluster: cadre, user: {name}}}}}]
"""


SCHEDULER_CONFIG = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: FOLDER/admin.kubeconfig, qps: 5000, burst: 5000}
"""


class ControlPlane:
    # Users of the API: file name -> (user name, group). The scheduler's is that of its service account.
    USERS = {
        "admin": ("cadre-test-admin", "system:masters"),
        "scheduler": ("system:serviceaccount:cadre-system:cadre-scheduler", None),
    }

    def __init__(self, options, programs, folder):
        self.options = options
        self.programs = programs
        self.folder = folder
        self.running = []  # (name, process), in the order they were started
        etcd_client, etcd_peer, self.port = free_ports(3)
        self.etcd = f"http://127.0.0.1:{etcd_client}"
        self.etcd_peer = f"http://127.0.0.1:{etcd_peer}"
        self.server = f"https://127.0.0.1:{self.port}"

    def start(self):
        self.write_files()
        self.run("etcd", self.etcd_flags())
        self.run("kube-apiserver", self.apiserver_flags())
        self.await_ready()
        self.run("kube-controller-manager", self.controller_manager_flags())
        if self.options.kube_scheduler:
            self.run("kube-scheduler", [f"--config={self.folder}/scheduler.yaml", "--secure-port=0", *self.gates()])

    def write_files(self):
        authority = Authority(self.folder)
        authority.server("apiserver")
        authority.key_pair("service-accounts")
        for name, (user, group) in self.USERS.items():
            authority.client(name, user, group)
            self.write(f"{name}.kubeconfig", kubeconfig_of(self.server, self.folder, name))
        self.write("scheduler.yaml", SCHEDULER_CONFIG.replace("FOLDER", str(self.folder)))
        self.write("audit.yaml", AUDIT_POLICY)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def gates(self):
        return [f"--feature-gates={GANG_GATES}"] if self.options.native_gang else []

    def etcd_flags(self):
        return ["--name=default", f"--data-dir={self.folder}/etcd", f"--listen-client-urls={self.etcd}",
                f"--advertise-client-urls={self.etcd}", f"--listen-peer-urls={self.etcd_peer}",
                f"--initial-advertise-peer-urls={self.etcd_peer}", f"--initial-cluster=default={self.etcd_peer}",
                "--unsafe-no-fsync", "--log-level=warn"]

    def apiserver_flags(self):
        folder = self.folder
        flags = [f"--etcd-servers={self.etcd}", f"--secure-port={self.port}", "--bind-address=127.0.0.1",
                 f"--tls-cert-file={folder}/apiserver.crt", f"--tls-private-key-file={folder}/apiserver.key",
                 f"--client-ca-file={folder}/ca.crt", "--service-account-issuer=https://kubernetes.default.svc",
                 f"--service-account-key-file={folder}/service-accounts.pub",
                 f"--service-account-signing-key-file={folder}/service-accounts.key",
                 "--service-cluster-ip-range=10.96.0.0/16", "--authorization-mode=RBAC",
                 "--endpoint-reconciler-type=none",
                 # Nodes here have no kubelet that would take its not-ready taint off, pods no service account.
                 "--disable-admission-plugins=TaintNodesByCondition,ServiceAccount,DefaultTolerationSeconds"]
        if self.options.native_gang:
            flags += [*self.gates(), "--runtime-config=scheduling.k8s.io/v1alpha2=true"]
        if self.options.unlimited:
            flags += ["--enable-priority-and-fairness=false", "--max-requests-inflight=0",
                      "--max-mutating-requests-inflight=0"]
        if self.options.overloaded:
            flags += ["--enable-priority-and-fairness=false", "--max-requests-inflight=10",
                      "--max-mutating-requests-inflight=10"]
        if self.options.audit:
            flags += [f"--audit-policy-file={folder}/audit.yaml", f"--audit-log-path={folder}/audit.log"]
        return flags

    def controller_manager_flags(self):
        flags = [f"--kubeconfig={self.folder}/admin.kubeconfig", "--leader-elect=false", "--secure-port=0",
                 f"--service-account-private-key-file={self.folder}/service-accounts.key",
                 "--controllers=*,-nodeipam,-nodelifecycle,-cloud-node-lifecycle"]
        if self.options.unlimited or self.options.overloaded:
            flags += ["--kube-api-qps=5000", "--kube-api-burst=5000", "--concurrent-job-syncs=20"]
        return flags

    def run(self, program, flags):
        with open(self.folder / f"{program}.log", "wb") as log:
            # pylint: disable-next=subprocess-popen-preexec-fn  # no threads here
            process = subprocess.Popen([self.programs / program, *flags], stdout=log, stderr=log,
                                       stdin=subprocess.DEVNULL, cwd=self.folder, preexec_fn=die_with_parent)
        self.running.append((program, process))

    def await_ready(self):
        context = ssl.create_default_context(cafile=self.folder / "ca.crt")
        context.load_cert_chain(self.folder / "admin.crt", self.folder / "admin.key")
        deadline = time.monotonic() + READY_WITHIN_S
        while True:
            for program, process in self.running:
                if process.poll() is not None:
                    self.give_up(program, f"{program} ended with {process.returncode}")
            try:
                with urllib.request.urlopen(f"{self.server}/readyz", context=context, timeout=5):
                    return
            except (urllib.error.URLError, OSError) as error:
                if time.monotonic() > deadline:
                    self.give_up("kube-apiserver", f"not ready within {READY_WITHIN_S} s: {error}")
            time.sleep(0.1)

    def give_up(self, program, why):
        log = (self.folder / f"{program}.log").read_text(encoding="utf-8", errors="replace")
        raise RuntimeError(f"{why}; the end of its log:\n" + "\n".join(log.splitlines()[-20:]))

    def stop(self):
        for program, process in reversed(self.running):
            process.terminate()
            try:
                process.wait(STOPS_WITHIN_S)
            except subprocess.TimeoutExpired:
                print(f"controlplane: {program} is killed: it did not end in {STOPS_WITHIN_S} s", file=sys.stderr)
                process.kill()
                process.wait()
        self.running = []


def run_command(command, plane):
    environment = dict(os.environ, KUBECONFIG=str(plane.folder / "admin.kubeconfig"),
                       CADRE_CONTROLPLANE_FOLDER=str(plane.folder), CADRE_CONTROLPLANE_BIN=str(plane.programs))
    if not command:
        print(f"export KUBECONFIG={environment['KUBECONFIG']}\nexport PATH=$PATH:{plane.programs}", flush=True)
        signal.pause()
        return 0
    # pylint: disable-next=subprocess-popen-preexec-fn  # no threads here
    with subprocess.Popen(command, env=environment, preexec_fn=die_with_parent) as process:
        try:
            return process.wait()
        finally:
            process.kill()


def main(arguments):
    options = options_of(arguments)
    programs = build_programs()
    folder = pathlib.Path(options.folder or tempfile.mkdtemp(prefix="cadre-controlplane-")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    plane = ControlPlane(options, programs, folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        plane.start()
        return run_command(options.command, plane)
    except KeyboardInterrupt:
        return 0
    except RuntimeError as error:
        print(f"controlplane: {error}", file=sys.stderr)
        return 1
    finally:
        plane.stop()
        if not options.folder:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
