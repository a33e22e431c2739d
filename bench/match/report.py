#!/usr/bin/env python3
"""Writes what scripts/bench match measured into docs/performance.md (between its markers) and docs/performance.svg.

Usage: report.py [ROWS [PAGE]]     build/bench/match.json and docs/performance.md by default; the plot goes beside PAGE

What was not measured shows as "–". Nothing else of the page is touched.
"""
import json
import math
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- match: begin -->", "<!-- match: end -->"
SIZES = ("1k", "10k", "100k")
NODES = {"1k": 1_000, "10k": 10_000, "100k": 100_000}
LARGEST = SIZES[-1]
NOTHING = "–"

REQUESTS = (
    ("gang64", "64 × (4 cores + 1 GPU)"),
    ("node64", "64 whole nodes"),
    ("rackx", "one exclusive rack"),
    ("zone4rackx", "4 exclusive racks in one zone"),
    ("n512", "512 × (4 cores + 1 GPU)"),
    ("rack64", "64 × (4 cores + 1 GPU) in one rack"),
    ("racks32x8", "32 jobs of 8, each in a rack"),
    ("mixed", "1 + 16 + 64 pods of three shapes"),
    ("apart", "64 × (4 cores + 1 GPU), no two on a node (anti-affinity)"),
    ("spread", "64 × (4 cores + 1 GPU), spread over racks evenly"),
)
NOES = (
    ("unsat_rack", "more than a rack can hold, in one rack"),
    ("unsat_node", "pods larger than any node"),
    ("unsat_mixed", "two roles in one rack that holds either"),
    ("busy", "64 where 40 fit"),
)
# (case of the largest size or "", metric or several to add up, text, bar, unit; "<" or ">" says on which side of the bar is good)
BARS = (
    ("gang64", "warm_ms", "gang of 64, known shape", "<", 0.2, "ms"),
    ("churn", "churn_gang64_p99_ms", "gang of 64 under churn, 200 shapes, p99", "<", 1, "ms"),
    ("gang64", "first_ms", "gang of 64, new shape", "<", 5, "ms"),
    ("rackx", "warm_ms", "exclusive rack", "<", 0.2, "ms"),
    ("unsat_rack", "warm_ms", "no: never in a rack", "<", 0.1, "ms"),
    ("unsat_node", "warm_ms", "no: never on a node", "<", 0.1, "ms"),
    ("busy", "warm_ms", "no: not now", "<", 0.1, "ms"),
    ("", "load_cpu_s", "state from decoded objects", "<", 1, "s"),
    ("", "rss_mib", "its memory, the decoded objects apart", "<", 200, "MiB"),
    ("", "rss_mib+objects_mib", "its memory, the objects that it shares with it", "<", 200, "MiB"),
    ("rebuild", "rebuild_s", "restart with 1,600 gangs, after the list", "<", 0.1, "s"),
    ("rebuild", "rebuild_s+rebuild_fold_s", "the same, with the folding of the list", "<", 0.1, "s"),
)
# panel: (title, x axis, [(series, case with {} for x, metric, factor to ms)], [(x, its name in cases)])
PANELS = (
    (
        "nodes",
        (
            ("gang64, known shape", "{}/gang64", "warm_ms", 1),
            ("gang64, new shape", "{}/gang64", "first_ms", 1),
            ("churn, p99", "{}/churn", "churn_p99_ms", 1),
            ("building the state", "{}", "load_cpu_s", 1e3),
        ),
        tuple((NODES[size], size) for size in SIZES),
    ),
    (
        "running pods",
        (
            ("gang64", "growth/pods={}", "gang64_ms", 1),
            ("taking them in", "growth/pods={}", "load_cpu_s", 1e3),
        ),
        tuple((n, str(n)) for n in (1_000, 10_000, 100_000)),
    ),
    (
        "live shapes",
        (
            ("churn, p50", "growth/shapes={}", "churn_p50_ms", 1),
            ("churn, p99", "growth/shapes={}", "churn_p99_ms", 1),
        ),
        tuple((n, str(n)) for n in (2, 20, 200)),
    ),
    (
        "pending groups",
        (
            ("a rack becomes free", "growth/pending={}", "freed_ms", 1),
            ("a rack is taken", "growth/pending={}", "taken_ms", 1),
            ("one more group comes", "growth/pending={}", "arrived_ms", 1),
        ),
        tuple((n, str(n)) for n in (10, 100, 1_000)),
    ),
)


class Rows:
    def __init__(self, rows):
        self.values = {(row["case"], row["metric"]): row["value"] for row in rows}

    def get(self, case, metric):
        return self.values.get((case, metric))

    def of(self, size, case, metric):
        return self.get(f"{size}/{case}" if case else size, metric)


def shown(value):
    """Three significant digits, thousands separated."""
    if value is None:
        return NOTHING
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{round(value, digits):,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def table(head, lines):
    text = "| " + " | ".join(head) + " |\n|" + "---|" * len(head) + "\n"
    return text + "".join("| " + " | ".join(line) + " |\n" for line in lines)


def verdict(value, side, bar):
    if value is None:
        return NOTHING
    met = value <= bar if side == "<" else value >= bar
    return "met" if met else f"missed, × {shown(value / bar if side == '<' else bar / value)}"


def bars(rows):
    lines = []
    for case, metric, text, side, bar, unit in BARS:
        parts = [rows.of(LARGEST, case, part) for part in metric.split("+")]
        value = None if None in parts else sum(parts)
        sign = "≤" if side == "<" else "≥"
        lines.append([text, f"{shown(value)} {unit}", f"{sign} {bar:g} {unit}", verdict(value, side, bar)])
    return table(["100,000 nodes", "measured", "bar", ""], lines)


def per_size(rows, metrics):
    """metrics: (text, case, metric)"""
    lines = [[text, *(shown(rows.of(size, case, metric)) for size in SIZES)] for text, case, metric in metrics]
    return table(["", *(f"{NODES[size]:,} nodes" for size in SIZES)], lines)


def decisions(rows):
    lines = []
    for case, text in REQUESTS + NOES:
        cells = [f"{shown(rows.of(s, case, 'warm_ms'))} / {shown(rows.of(s, case, 'first_ms'))}" for s in SIZES]
        lines.append([f"`{case}`", text, *cells, shown(rows.of(LARGEST, case, "indexed"))])
    head = ["case", "request", *(f"{NODES[size]:,} nodes" for size in SIZES), "by the index, %"]
    return table(head, lines)


def quality(rows):
    def with_bound(case, metric):
        text = shown(rows.of(LARGEST, case, metric))
        over = rows.of(LARGEST, case, metric + "_over_optimum")
        return text if over is None else f"{text} (fewest possible: {shown(rows.of(LARGEST, case, metric) - over)})"

    lines = [
        [f"`{case}`", with_bound(case, "nodes"), with_bound(case, "domains"),
         shown(rows.of(LARGEST, case, "neighbour_distance"))]
        for case, _ in REQUESTS
    ]  # fmt: skip
    return table(["100,000 nodes", "nodes", "racks", "distance of neighbours"], lines)


def growth(rows):
    lines = []
    for title, series, points in PANELS:
        for text, case, metric, factor in series:
            values = [rows.get(case.format(name), metric) for _, name in points]
            values = [None if value is None else value * factor for value in values]
            ratio = None if None in values or values[0] == 0 else values[-1] / values[0]
            ends = " → ".join(f"{x:,}" for x, _ in points)
            lines.append([f"{ends} {title}", text, *(shown(value) for value in values), shown(ratio)])
    return table(["grows", "cost, ms", "first", "second", "third", "third ÷ first"], lines)


def machine():
    """The processor of this machine, which is taken to be the one that measured."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return f"Measured on {os.cpu_count()} CPUs: {line.partition(':')[2].strip()}.\n"
    return f"Measured on {os.cpu_count()} CPUs.\n"


def page_part(rows, plot_name):
    parts = [
        machine(),
        "### Against the bars\n\n" + bars(rows),
        "### State\n\n"
        + per_size(
            rows,
            [
                ("decoding the NodeList, s", "", "decode_cpu_s"),
                ("building the state from objects, s", "", "load_cpu_s"),
                ("memory of the state, MiB", "", "rss_mib"),
                ("... of which the index says it has, MiB", "", "index_mib"),
                ("memory of the decoded objects that it shares, MiB", "", "objects_mib"),
            ],
        ),
        "### One group\n\nMilliseconds for a known shape / for a new one.\n\n" + decisions(rows),
        "### Quality\n\n" + quality(rows),
        "### Many groups\n\n"
        + per_size(
            rows,
            [
                ("churn, all sizes, p50, ms", "churn", "churn_p50_ms"),
                ("churn, all sizes, p99, ms", "churn", "churn_p99_ms"),
                ("churn, gangs of 64, p99, ms", "churn", "churn_gang64_p99_ms"),
                ("churn, all sizes, slowest, ms", "churn", "churn_max_ms"),
                ("churn, decisions", "churn", "decisions"),
                ("churn, a group leaves, p99, ms", "churn", "leave_p99_ms"),
                ("gangs placed one after another", "gangs", "gangs"),
                ("... per second", "gangs", "gangs_per_s"),
                ("... their pods' arrival, µs per pod", "gangs", "arrive_us_per_pod"),
                ("... per second, through the whole scheduler", "rebuild", "scheduler_gangs_per_s"),
                ("restart: while the lists come, s", "rebuild", "rebuild_fold_s"),
                ("restart: after the last list, s", "rebuild", "rebuild_s"),
            ],
        ),
        f"### Growth\n\n![Cost in milliseconds as nodes, pods, shapes and pending groups grow]({plot_name})\n\n"
        + growth(rows),
    ]
    return "\n".join(parts)


def replaced(page, part):
    """The page with what is between its markers replaced."""
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise ValueError(f"the page must have one line {BEGIN} and after it one line {END}")
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n\n{part}\n{END}{rest.split(END)[1]}"


# --- the plot

WIDTH, HEIGHT, LEFT, TOP, GAP_X, GAP_Y = 340, 200, 56, 34, 76, 96
COLOURS = ("#2563eb", "#d97706", "#059669", "#db2777")


def decades(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def power(exponent):
    return f"{10 ** exponent:,}" if exponent >= 0 else f"{10.0 ** exponent:.{-exponent}f}"


def panel(rows, title, series, points, x0, y0):
    def text(x, y, words, extra=""):
        return f'<text x="{x:.1f}" y="{y:.1f}" {extra}>{words}</text>'

    lines = []
    for name, case, metric, factor in series:
        values = [(x, rows.get(case.format(label), metric)) for x, label in points]
        lines.append((name, [(x, value * factor) for x, value in values if value]))
    everything = [value for _, line in lines for _, value in line]
    parts = [text(x0, y0 - 14, f"ms by {title}", 'class="title"')]
    if not everything:
        return parts + [text(x0, y0 + HEIGHT / 2, "not measured")]
    low, high = decades(everything)
    first, last = math.log10(points[0][0]), math.log10(points[-1][0])

    def at(x, value):
        return (x0 + (math.log10(x) - first) / (last - first) * WIDTH,
                y0 + HEIGHT - (math.log10(value) - low) / (high - low) * HEIGHT)  # fmt: skip

    for exponent in range(low, high + 1):
        y = at(points[0][0], 10.0**exponent)[1]
        parts.append(f'<line x1="{x0}" y1="{y:.1f}" x2="{x0 + WIDTH}" y2="{y:.1f}" class="grid"/>')
        parts.append(text(x0 - 6, y + 4, power(exponent), 'text-anchor="end"'))
    for x, _ in points:
        parts.append(text(at(x, 10.0**low)[0], y0 + HEIGHT + 16, f"{x:,}", 'text-anchor="middle"'))
    for number, (name, line) in enumerate(lines):
        colour = COLOURS[number]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in line))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in (at(*p) for p in line)]
        legend_x, legend_y = x0 + number % 2 * WIDTH / 2, y0 + HEIGHT + 34 + number // 2 * 16
        parts.append(f'<rect x="{legend_x:.1f}" y="{legend_y - 9}" width="10" height="10" fill="{colour}"/>')
        parts.append(text(legend_x + 15, legend_y, name))
    return parts


def plot(rows):
    cell_x, cell_y = WIDTH + GAP_X, HEIGHT + GAP_Y
    width, height = 2 * cell_x + 24, 2 * cell_y
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="11">',
        "<style>text{fill:#444}.title{font-size:13px;font-weight:bold}.grid{stroke:#ddd}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for number, (title, series, points) in enumerate(PANELS):
        x0, y0 = LEFT + number % 2 * cell_x, TOP + number // 2 * cell_y
        parts += panel(rows, title, series, points, x0, y0)
    return "\n".join([*parts, "</svg>"]) + "\n"


def main(arguments):
    if len(arguments) > 2:
        print(__doc__, file=sys.stderr)
        return 2
    source = Path(arguments[0]) if arguments else ROOT / "build/bench/match.json"
    page = Path(arguments[1]) if len(arguments) > 1 else ROOT / "docs/performance.md"
    if not source.is_file():
        print(f"report.py: {source} is not there: run scripts/bench match first", file=sys.stderr)
        return 1
    rows = Rows(json.loads(source.read_text(encoding="utf-8")))
    picture = page.with_suffix(".svg")
    try:
        text = replaced(page.read_text(encoding="utf-8"), page_part(rows, picture.name))
    except ValueError as error:
        print(f"report.py: {page}: {error}", file=sys.stderr)
        return 1
    page.write_text(text, encoding="utf-8")
    picture.write_text(plot(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
