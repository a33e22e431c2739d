#!/usr/bin/env python3
"""Opens reports of `cadre simulate --html` in a headless Chromium, at the sizes of a laptop and of a phone.

Usage: report_chromium_test.py CADRE [unittest arguments]      CADRE: the program

Without Chromium it says so in the words of a skipped gtest, which scripts/junit_summary.py understands.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import chromium

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAPTOP = {"width": 1366, "height": 768}
PHONE = {"width": 390, "height": 844, "touch": True}
SIZES = {"laptop": LAPTOP, "phone": PHONE}

JOB = """---
apiVersion: batch/v1
kind: Job
metadata: {{name: "{name}", annotations: {{cadre.dev/sim-submit: {submit}s}}}}
spec:
  completionMode: Indexed
  parallelism: {pods}
  completions: {pods}
  template:
    metadata: {{annotations: {{cadre.dev/sim-duration: {duration}s}}}}
    spec:
      schedulerName: cadre
      restartPolicy: Never
      containers: [{{name: c, image: x, resources: {{requests: {{cpu: {cpu}}}}}}}]
"""
HOSTILE = "<script>document.title = 'taken over'</script>"
LONG = "a-name-without-any-blank-" * 2 + "end"


def many_jobs():
    """More groups than are drawn one by one, among them a long name, one that can never run, and one that is refused for
    its hostile name, which the report then quotes."""
    jobs = [JOB.format(name=f"job-{i}", submit=3 * i, pods=1 + i % 7, duration=60 + 20 * (i % 5), cpu=8)
            for i in range(302)]
    jobs.append(JOB.format(name=HOSTILE, submit=1, pods=2, duration=30, cpu=1))
    jobs.append(JOB.format(name=LONG, submit=2, pods=2, duration=30, cpu=1))
    jobs.append(JOB.format(name="too-big", submit=2, pods=1, duration=30, cpu=1000))
    return "".join(jobs)


def simulate(output, codes, *arguments):
    done = subprocess.run([CADRE, "simulate", "--html", output, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in codes:
        raise RuntimeError(f"cadre simulate ended with {done.returncode}: {done.stderr}")


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="cadre_report_")
        folder = pathlib.Path(cls.folder.name)
        demo = ROOT / "examples" / "demo"
        cls.demo = folder / "demo.html"
        simulate(cls.demo, (1,), "-f", demo / "jobs.yaml", "--cluster", demo / "cluster.yaml")
        (folder / "many.yaml").write_text(many_jobs(), encoding="utf-8")
        cls.many = folder / "many.html"
        # 2: input was refused; the rest is simulated all the same.
        simulate(cls.many, (2,), "-f", folder / "many.yaml", "--nodes", 60, "--per-rack", 5, "--racks-per-zone", 4,
                 "--node", "cpu=16,memory=64Gi")
        cls.browser = chromium.Chromium(chromium.find())

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__(None, None, None)
        cls.folder.cleanup()

    def open(self, file, **options):
        page = self.browser.open(file, **{**LAPTOP, **options})
        self.addCleanup(page.close)
        return page

    def count(self, page, selector):
        return page.evaluate(f"document.querySelectorAll({selector!r}).length")

    def shown_rows(self, page):
        return page.evaluate("[...document.querySelectorAll('#table tbody tr')].filter(row => !row.hidden).length")

    def test_nothing_is_wrong_and_nothing_is_requested(self):
        for name, size in SIZES.items():
            for file in (self.demo, self.many):
                with self.subTest(size=name, file=file.name):
                    self.assertEqual(self.open(file, **size).complaints(), [])

    def test_the_page_is_not_wider_than_the_window(self):
        for name, size in SIZES.items():
            for file in (self.demo, self.many):
                for dark in (False, True):
                    with self.subTest(size=name, file=file.name, dark=dark):
                        page = self.open(file, **size, dark=dark)
                        self.assertEqual(page.evaluate("innerWidth"), size["width"])
                        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
                        self.assertLessEqual(page.evaluate("document.scrollingElement.scrollWidth"), size["width"])

    def test_the_demo_has_its_rows_bars_and_nodes(self):
        page = self.open(self.demo)
        self.assertEqual(self.count(page, "#table tbody tr"), 6)
        self.assertEqual(self.count(page, "#timeline .track .r"), 5)  # all but too-big
        self.assertEqual(self.count(page, "#timeline .track .n"), 1)
        self.assertEqual(self.count(page, "#timeline .track .w"), 1)  # benchmark
        self.assertEqual(self.count(page, "#topology .cell"), 16)
        self.assertEqual(self.count(page, "#use figure"), 5)  # three resources, groups and members that wait

    def test_very_many_groups_are_folded_and_all_listed(self):
        page = self.open(self.many)
        self.assertEqual(self.count(page, "#table tbody tr"), 304)
        self.assertIn("All 304 groups", page.evaluate("document.querySelector('#timeline').textContent"))
        self.assertEqual(self.count(page, "#topology .cell"), 60)

    def test_everything_is_there_without_scripts(self):
        page = self.open(self.many, scripts=False)
        text = page.call("DOM.getDocument", depth=0)["root"]["nodeId"]
        rows = page.call("DOM.querySelectorAll", nodeId=text, selector="#table tbody tr:not([hidden])")["nodeIds"]
        self.assertEqual(len(rows), 304)

    def test_names_run_nothing(self):
        page = self.open(self.many)
        self.assertEqual(page.evaluate("document.title"), "Cadre: 304 groups on 60 nodes")
        self.assertEqual(self.count(page, "script"), 1)
        self.assertIn(HOSTILE, page.evaluate("document.querySelector('#problems').textContent"))

    def test_the_search_keeps_rows_with_all_words(self):
        page = self.open(self.many)
        page.evaluate("(find => { find.value = 'too-big never'; find.dispatchEvent(new Event('input')); })"
                      "(document.querySelector('#find'))")
        page.evaluate("new Promise(done => setTimeout(done, 200))")  # the page's own delay while one types is 80 ms
        self.assertEqual(self.shown_rows(page), 1)
        self.assertEqual(page.evaluate("document.querySelector('.find output').textContent"), "1 of 304 groups")

    def test_a_column_sorts_both_ways_as_numbers(self):
        page = self.open(self.demo)
        waits = "[...document.querySelectorAll('#table tbody tr')].map(row => row.cells[1].textContent).join()"
        click = "document.querySelectorAll('#table thead button')[1].click()"
        page.evaluate(click)
        self.assertEqual(page.evaluate(waits), "1,2,3,6,7,12")
        page.evaluate(click)
        self.assertEqual(page.evaluate(waits), "12,7,6,3,2,1")

    def test_the_slider_shows_the_load_of_a_moment(self):
        page = self.open(self.demo)
        load = "document.querySelector('.map .pc').textContent"
        whole = page.evaluate(load)
        page.evaluate("(when => { when.value = when.max; when.dispatchEvent(new Event('input')); })"
                      "(document.querySelector('#when'))")
        self.assertNotEqual(page.evaluate(load), whole)
        self.assertIn("6m 40s", page.evaluate("document.querySelector('.when output').textContent"))

    def test_arrow_keys_tell_what_a_chart_shows(self):
        page = self.open(self.demo)
        page.evaluate("document.querySelector('#timeline .rows').focus()")
        for kind in ("keyDown", "keyUp"):
            page.call("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight")
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))")
        self.assertIn("runs 0 s – 4m", page.evaluate("document.querySelector('#tip').textContent"))

    def test_a_link_brings_up_a_row_that_is_not_on_the_page(self):
        page = self.open(self.many)
        hidden = "document.querySelector('#g300').hidden"
        self.assertTrue(page.evaluate(hidden))
        page.evaluate("new Promise(done => { addEventListener('hashchange', () => setTimeout(done, 0)); location.hash = 'g300'; })")
        self.assertFalse(page.evaluate(hidden))

    def test_it_prints(self):
        for file in (self.demo, self.many):
            with self.subTest(file=file.name):
                pdf = self.open(file).pdf()
                self.assertTrue(pdf.startswith(b"%PDF-"))
                self.assertGreater(pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page "), 0)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    CADRE = sys.argv.pop(1)
    if chromium.find() is None:
        print(f"{__file__}:1: Skipped\nno Chromium is installed (package chromium): reports are not looked at\n\n"
              "[  SKIPPED ] report_chromium_test")
        sys.exit(0)
    unittest.main()
