"""The programs under test, as processes."""
import os
import pathlib
import signal
import subprocess

from api import FOLDER, await_that

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("CADRE_BINARY", str(ROOT / "build/asan/cadre"))
SCHEDULER = FOLDER / "scheduler.kubeconfig"
ADMIN = FOLDER / "admin.kubeconfig"
STARTS_WITHIN_S = STOPS_WITHIN_S = 20


class Program:
    """`cadre COMMAND`, its log appended to a file beside those of the control plane."""

    def __init__(self, command, kubeconfig, *flags):
        self.log = FOLDER / f"cadre-{command}.log"
        self.command = [BINARY, command, "--kubeconfig", str(kubeconfig), *flags]
        self.process = None
        self.start()

    def start(self):
        """Returns when it has said that it runs: before that a signal just ends it."""
        with open(self.log, "ab") as log:
            said = log.tell()
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        await_that(f"{' '.join(self.command[:2])} runs", lambda: self.log.stat().st_size > said, STARTS_WITHIN_S)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Ends it as Kubernetes would; its exit code must be 0, and memory errors would show in it."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            code = self.process.wait(STOPS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = "none: it does not stop"
        if code != 0:
            raise AssertionError(f"{' '.join(self.command[:2])} ended with {code}:\n{self.end_of_log()}")

    def end_of_log(self):
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-30:])


def scheduler(*flags):
    """Serves nothing unless told so: several run at once."""
    return Program("scheduler", SCHEDULER, "--health-port", "0", *flags)


def lone_scheduler():
    """One that need not wait for the lease of the one before to run out."""
    return scheduler("--leader-elect=false")


def kubelets():
    return Program("kubelets", ADMIN)
