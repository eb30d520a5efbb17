"""Plots of time against accuracy, one per problem."""

import math

import matplotlib

import report

matplotlib.use("Agg")
from matplotlib import pyplot, ticker  # noqa: E402

# One colour per project; its variants differ by their marker.
COLOURS = {"Bifocal": "C3", "PoseLib": "C0", "pycolmap": "C2", "OpenCV": "C1", "kornia": "C4", "fastpose": "C5"}
MARKERS = "osD^vP"


def _styles(names):
    """Returns colour and marker of each name."""
    styles, variants = {}, {}
    for name in names:
        project = name.split()[0]
        k = variants[project] = variants.get(project, -1) + 1
        styles[name] = {"color": COLOURS[project], "marker": MARKERS[k % len(MARKERS)], "markersize": 7}
    return styles


def _plain(axis):
    """Puts plain numbers on a logarithmic axis, more if the axis is short."""
    low, high = axis.get_view_interval()
    decades = math.log10(high / low)
    subs = (1, 1.5, 2, 3, 4, 5, 7) if decades < 1.2 else (1, 2, 5) if decades < 3 else (1,)
    axis.set_major_locator(ticker.LogLocator(subs=subs))
    axis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:g}"))
    axis.set_minor_locator(ticker.NullLocator())


def _panels(count, size):
    figure, panels = pyplot.subplots(1, count, figsize=(size[0] * count, size[1]), squeeze=False)
    for panel in panels[0]:
        panel.set_xscale("log")
        panel.set_xlabel("ms a pair, one thread")
        panel.grid(alpha=0.3)
        panel.margins(x=0.1, y=0.1)
    return figure, panels[0]


def _save(figure, panels, notes, file):
    """Saves a figure with the legend on top and notes (panel, x, y, text) near their points, without overlaps if possible."""
    handles, labels = [], []
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels()):
            if label not in labels:
                handles.append(handle)
                labels.append(label)
    rows = 1 if len(labels) <= 6 else 2
    columns = -(-len(labels) // rows)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.055 * rows))
    figure.legend(handles, labels, loc="upper center", ncols=columns, fontsize=8.5, frameon=False)
    taken = [(*panel.transData.transform((x, y)), 6, 6) for panel, x, y, _ in notes]
    for panel, x, y, text in notes:
        here, wide = panel.transData.transform((x, y)), 5.5 * len(text)
        for dx, dy in ((8, 5), (8, -14), (-8 - wide, 5), (-8 - wide, -14), (8, 15), (-8 - wide, 15), (8, -24)):
            box = here[0] + dx + wide / 2, here[1] + dy + 5, wide / 2, 5
            inside = panel.bbox.x0 < box[0] - box[2] and box[0] + box[2] < panel.bbox.x1 and box[1] + box[3] < panel.bbox.y1 - 3
            if inside and not any(abs(box[0] - o[0]) < box[2] + o[2] and abs(box[1] - o[1]) < box[3] + o[3] for o in taken):
                break
        taken.append(box)
        panel.annotate(text, (x, y), fontsize=7.5, xytext=(dx * 72 / figure.dpi, dy * 72 / figure.dpi), textcoords="offset points")
    figure.savefig(file)
    pyplot.close(figure)


def robust(records, file):
    """Plots time against error, one panel per problem: left and low is good. For essential matrices the error is 100 - AUC@1. Rows without enough
    pairs are left out."""
    records = [r for r in records if r["case"].startswith("robust/") and r["case"].endswith("/matched") and report.enough(r)]
    problems = [p for p in ("essential", "fundamental", "homography") if any(f"/{p}/" in r["case"] for r in records)]
    if not problems:
        return
    styles, notes = _styles(dict.fromkeys(r["name"] for r in records)), []
    figure, panels = _panels(len(problems), (4.6, 4.2))
    for panel, problem in zip(panels, problems):
        key = "auc1" if problem == "essential" else "median_error_px"
        cases = list(dict.fromkeys(r["case"] for r in records if f"/{problem}/" in r["case"]))
        shares = [case.split("inliers")[1].split("/")[0] for case in cases]
        for name, style in styles.items():
            own = [r for r in records if r["name"] == name and r["case"] in cases]
            y = [100 - r[key] if problem == "essential" else r[key] for r in own]
            panel.plot([r["value"] for r in own], y, "-", label=name, **style)
            for r, height in zip(own, y):
                if r["case"] != cases[0]:
                    panel.plot([r["value"]], [height], **(style | {"markerfacecolor": "white"}))
        panel.set_yscale("log")
        _plain(panel.xaxis)
        _plain(panel.yaxis)
        kind = {"essential": "essential matrix", "fundamental": "fundamental matrix"}.get(problem, problem)
        panel.set_title(f"{kind}, {shares[0]} % inliers" + "".join(f", hollow: {s} %" for s in shares[1:]), fontsize=10)
        panel.set_ylabel("100 - AUC@1" if problem == "essential" else "error, px")
    _save(figure, panels, notes, file)


def _by_mode(records, start, height, label, titles, file, note):
    """Plots a panel per mode of the set `start`. height(record, all records of its case) is drawn over the time. Rows without enough pairs are left out."""
    records = [r for r in records if r["case"].rpartition("/")[0] == start and report.enough(r)]
    cases = list(dict.fromkeys(r["case"] for r in records))
    if not cases:
        return
    styles, notes = _styles(dict.fromkeys(r["name"] for r in records)), []
    figure, panels = _panels(len(cases), (6.4, 4.4))
    for panel, case in zip(panels, cases):
        group = [r for r in records if r["case"] == case]
        for r in group:
            y = height(r, group)
            panel.plot([r["value"]], [y], linestyle="none", label=r["name"], **styles[r["name"]])
            notes.append((panel, r["value"], y, note(r)))
        panel.set_ylim(bottom=0)
        _plain(panel.xaxis)
        panel.set_title(titles(case), fontsize=11)
        panel.set_ylabel(label)
    _save(figure, panels, notes, file)


def features(records, file):
    """Plots the time of a pair, images to matches, against correct matches relative to Bifocal's RootSIFT (100): left and high is good. Each
    point has its precision."""

    def height(r, group):
        own = next((o for o in group if o["name"] == "Bifocal RootSIFT"), r)
        return 100 * r["right"] / max(r.get("beside", own)["right"], 1e-9)

    def title(case):
        mode = case.split("/")[-1]
        return ("defaults" if mode == "default" else f"{mode} per image") + ", with the precision"

    _by_mode(records, "features/castle", height, "correct matches, % of Bifocal RootSIFT", title, file, lambda r: f"{100 * r['precision']:.0f} %")


def stereo(records, file):
    """Plots the time of a pair against bad pixels after the fill: left and low is good. Each point has the known pixels before the fill."""
    titles = {"default": "defaults", "matched": "equal filters"}

    def title(case):
        return titles[case.split("/")[-1]] + ", with the known pixels before the fill"

    _by_mode(records, "stereo/held out", lambda r, _: r["bad2_filled"], "error above 2 px, after fill, %", title, file, lambda r: f"{r['density']:.0f} %")


ALL = {"peers.png": robust, "peers_features.png": features, "peers_stereo.png": stereo}


def draw(records, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, plot in ALL.items():
        plot(records, folder / name)
