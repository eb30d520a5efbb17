"""Publishes the records of a run in docs/benchmarks.md, docs/peers.md, docs/images and the list of bench/results, and replaces the text between marks."""

import json
import pathlib

import plots
import report

BEGIN, END = "<!-- peers: written by scripts/bench-peers --publish RECORDS -->", "<!-- peers: until here -->"
PROBLEMS = {"essential": "E", "fundamental": "F", "homography": "H"}
REAL = {"homogr": "H", "evd": "H", "kusvod2": "F"}
# The held-out sets, and the sentence before their tables. peers.md has the rows of the sets on which constants were chosen.
FEATURES = {
    "features/castle": "Features and matches, mean of 35 pairs of castle-P19 (1024 x 683 px, neighbours and their neighbours), which served no choice of a constant of SIFT, "
    "SURF or the matcher; correct within 1.5 px of the epipolar line of the measured cameras:",
}
STEREO = {
    "stereo/held out": "Dense stereo, mean of aloe (1282 x 1110 px, 224 disparities) and fountain23 (700 x 500 px, 128), which served no choice of a default of stereo matching. Bad pixels have an "
    "error above 2 px. MODE_HH is OpenCV's accurate mode, MODE_SGBM_3WAY its fast one. OpenCV's matchers get images padded on the left by the number of "
    "disparities, because they leave as many columns of the left image unknown. Times marked so are of an earlier run without this padding:",
}
PLOTTED = {
    "features": "Time per pair of castle-P19 and correct matches, Bifocal and its peers",
    "stereo": "Time per pair of the two pairs and bad pixels, Bifocal and its peers; times as in the tables",
}


def _rows(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def _label(case):
    """Returns the short name of a case of robust estimation, for a narrow table."""
    words = case.split("/")
    if words[0] == "sizes":
        kind = PROBLEMS[words[1]]
        return f"{kind}, {int(words[2][1:]):,} matches ({'AUC@1' if kind == 'E' else 'error'})"
    if words[0] == "robust":
        kind = PROBLEMS[words[1]]
        return f"{kind}, {words[3].removeprefix('inliers')} % inliers ({'AUC@1' if kind == 'E' else 'error'})"
    return f"{REAL[words[1]]}, real sets ({words[1]})"


def _bold(text, yes):
    return f"**{text}**" if yes else text


def robust(records):
    """Returns the table of the cases of 2000 matches and of the real sets."""
    records = [r for r in records if r["case"].startswith("real/") or (r["case"].startswith("robust/") and r["case"].endswith("/matched"))]
    points = next(r["case"].split("/")[2][1:] for r in records if r["case"].startswith("robust/"))
    return _estimators(records, f"{points} matches, 1 px noise")


def sizes(records):
    records = [r for r in records if r["case"].startswith("sizes/")]
    return _estimators(records, f"{records[0]['case'].split('/')[3].removeprefix('inliers')} % inliers, 1 px noise")


def _estimators(records, title):
    """Returns a table with a row per case and a column per project; values better than Bifocal's are bold."""
    names = {r["name"]: f"{r['name']} {r['version']}" for r in records}
    rows = []
    for case, group in report.by_case(records):
        cells = {}
        for r in group:
            better = report.better(r, report.own_of(group))
            time = _bold(f"{report.figures(r['value'])} ms", "value" in better)
            quality = _bold(report.quality(r).replace("AUC@1 ", ""), bool(set(better) - {"value"})) if report.enough(r) else ""
            cells[r["name"]] = f"{time}{', ' if quality else ''}{quality}{report.short(r)}"
        rows.append([_label(case), *(cells.get(name, "") for name in names)])
    return _rows([title, *names.values()], rows)


def _modes(records, start, header, cells):
    """Returns a table per mode of a set with a row per project. cells(row, keys better than Bifocal's) makes the cells."""
    tables = []
    for case, group in report.by_case([r for r in records if r["case"].rpartition("/")[0] == start]):
        rows = [[r["name"], *cells(r, report.better(r, report.own_of(group)))] for r in group]
        title = "defaults" if case.endswith("/default") else case.split("/")[-1].replace("matched", "equal filters")
        tables.append(_rows([title, *header], rows))
    return "\n".join(tables)


def features(records, label):
    def cells(r, better):
        shown = report.enough(r)
        return [
            _bold(f"{report.figures(r['value'])} ms", "value" in better) + report.short(r),
            f"{report.figures(r['extract_ms'])}, {report.figures(r['match_ms'])} ms",
            f"{r['features']:.0f}",
            _bold(f"{r['right']:.0f}", "right" in better) if shown else "",
            _bold(f"{100 * r['precision']:.1f} %", "precision" in better) if shown else "",
        ]

    return _modes(records, label, ["time per pair", "per image, matching", "features", "correct matches", "precision"], cells)


def stereo(records, label):
    def cells(r, better):
        time, filled = f"{report.figures(r['value'])} ms{report.unpadded(r)}", f"{r['bad2_filled']:.2f} %"
        return [_bold(time, "value" in better) + report.short(r), f"{r['density']:.1f} %", f"{r['bad2']:.2f} %", _bold(filled, "bad2_filled" in better)]

    return _modes(records, label, ["time per pair", "known", "bad, of known", "bad, after fill"], cells)


def _picture(file, text):
    return f"![{text}]({file})"


def summary(records, link):
    """Returns the part of docs/benchmarks.md."""
    parts = [f"{report.head(records)} ([records]({link}), [every row and the method](peers.md)). Bold: better than Bifocal."]
    parts += [f"In parentheses: pairs finished within the time budget, and Bifocal's accuracy on the same pairs. Accuracies over fewer than {report.FEWEST} synthetic pairs, or over a part of a set of photographs, are left out."]
    if any(r["case"].startswith("robust/") for r in records):
        parts += [robust(records), _picture("images/peers.png", "Time and accuracy of robust estimation, Bifocal and its peers")]
    if any(r["case"].startswith("sizes/") for r in records):
        parts += ["By the number of matches:", sizes(records)]
    for make, pictures in ((features, FEATURES), (stereo, STEREO)):
        for label, title in pictures.items():
            table = make(records, label)
            parts += [title, table] if table else []
        name = make.__name__
        if any(r["case"].startswith(f"{name}/") for r in records):
            parts += [_picture(f"images/peers_{name}.png", PLOTTED[name])]
    return "\n\n".join(part.strip() for part in parts)


def everything(records, link):
    """Returns the part of docs/peers.md."""
    ahead = report.ahead(records) or "Nowhere in this run."
    return "\n\n".join([f"{report.head(records)} ([records]({link})).", "### Where a peer is faster or better", ahead, "### Every row", report.table(records).strip()])


def between(file, text):
    """Replaces the text between the marks."""
    old = file.read_text()
    if old.count(BEGIN) != 1 or old.count(END) != 1:
        raise SystemExit(f"{file}: must have '{BEGIN}' and '{END}' once each")
    head, tail = old.split(BEGIN)[0], old.split(END)[1]
    file.write_text(f"{head}{BEGIN}\n{text.strip()}\n{END}{tail}")


def listed(file, records, name):
    """Adds a line for the records to the list of bench/results if it has none."""
    lines, about = file.read_text().splitlines(), records[0]["machine"]
    if any(name in line for line in lines):
        return
    last = max(k for k, line in enumerate(lines) if line.startswith("|"))
    where = f"one thread of {about['cores']} cores, {about['cpu']}. {about['note']}".strip()
    row = f"| {name} | {where} | the package of commit {about['commit'][:7]} | `{about['command']}` |"
    file.write_text("\n".join([*lines[: last + 1], row, *lines[last + 1 :]]) + "\n")


def publish(file, root):
    results = (root / "bench/results").resolve()
    if pathlib.Path(file).resolve().parent != results:
        raise SystemExit(f"{file}: records must be in bench/results, so that the pages can link to them")
    records = json.loads(file.read_text())
    different = report.unequal(records)
    if different:
        raise SystemExit("confidences or bounds of samples differ: " + "; ".join(different))
    plots.draw(records, root / "docs/images")
    between(root / "docs/benchmarks.md", summary(records, f"../bench/results/{file.name}"))
    between(root / "docs/peers.md", everything(records, f"../bench/results/{file.name}"))
    listed(results / "README.md", records, file.name)
