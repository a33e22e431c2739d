"""Drives a headless Chromium over its debugging pipe, with nothing but the standard library.

A page that was opened collects what must not happen on it: console errors, exceptions, and requests that leave the
machine's own files.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
TIMEOUT_S = 120


def find():
    """The path of a Chromium, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Chromium:
    """A running browser; use it in a `with` statement."""

    def __init__(self, path):
        self.profile = tempfile.TemporaryDirectory(prefix="cadre_chromium_", ignore_cleanup_errors=True)
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        # The browser reads commands from descriptor 3 and answers on 4.
        command = [
            "sh", "-c", f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}', path,
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
            "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-extensions", "--hide-scrollbars", f"--user-data-dir={self.profile.name}", "about:blank",
        ]
        # A shell may take only one digit there.
        assert to_browser < 10 and from_browser < 10, "too many open files for a redirection"
        self.process = subprocess.Popen(command, pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.next_id = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(timeout=10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        self.profile.cleanup()

    def _read(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise RuntimeError(f"Chromium said nothing for {TIMEOUT_S} s")
            chunk = os.read(self.read_end, 1 << 20)
            if not chunk:
                raise RuntimeError("Chromium has ended")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.next_id += 1
        request = {"id": self.next_id, "method": method, "params": parameters}
        if session:
            request["sessionId"] = session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            message = self._read(deadline)
            if message.get("id") == self.next_id:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def wait_for(self, session, method):
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            for index, event in enumerate(self.events):
                if event.get("method") == method and event.get("sessionId") == session:
                    return self.events.pop(index)
            self.events.append(self._read(deadline))

    def open(self, file, width, height, dark=False, touch=False, scripts=True):
        return Page(self, file, width, height, dark, touch, scripts)


class Page:
    """One file, open in a window of the given size."""

    def __init__(self, browser, file, width, height, dark, touch, scripts):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if touch else 1,
                  mobile=touch)
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.url = "file://" + os.path.abspath(file)
        self.call("Page.navigate", url=self.url)
        browser.wait_for(self.session, "Page.loadEventFired")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def complaints(self):
        """Console errors and warnings, exceptions, and requests for anything but this file, as text."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, details = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append("exception: " + json.dumps(details["exceptionDetails"])[:400])
            elif method == "Runtime.consoleAPICalled" and details["type"] in ("error", "warning", "assert"):
                found.append("console: " + json.dumps(details["args"])[:400])
            elif method == "Log.entryAdded" and details["entry"]["level"] in ("error", "warning"):
                found.append("log: " + details["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = details["request"]["url"]
                if url.split("#")[0] != self.url and not url.startswith("data:"):
                    found.append("request: " + url)
        return found

    def screenshot(self, file, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(file, "wb") as out:
            out.write(base64.b64decode(data))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
