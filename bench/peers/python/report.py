"""Records as Markdown tables and a picture."""

from itertools import groupby


def _quality(record):
    if "solved" in record:
        return f"{record['solved']} of {record['sets']} sets, {record['median_error_px']:.2f} px"
    if "auc1" in record:
        return f"AUC@1 {record['auc1']:.1f}"
    if "median_error_px" in record:
        return f"{record['median_error_px']:.3f} px"
    return ""


def _figures(value):
    return f"{value:.0f}" if value >= 99.5 else f"{value:.3g}"


def table(records):
    """A row for each case and project."""
    lines = ["| case | | median | times Bifocal's | accuracy | failures of pairs |", "|---|---|---|---|---|---|"]
    for case, group in groupby(records, key=lambda r: r["case"]):
        for k, r in enumerate(group):
            ratio = f"{r['ratio']:.1f}" if "ratio" in r else ""
            failures = f"{r['failures']} of {r['runs']}" if "failures" in r else ""
            cells = [case if k == 0 else "", f"{r['name']} {r['version']}", f"{_figures(r['value'])} {r['unit']}", ratio, _quality(r), failures]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def plot(records, file):
    """Time against error, one panel a problem: left and low is good. Of essential matrices the error is 100 - AUC@1."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    problems = [p for p in ("essential", "fundamental", "homography") if any(f"robust/{p}/" in r["case"] for r in records)]
    if not problems:
        return
    figure, panels = pyplot.subplots(1, len(problems), figsize=(4.6 * len(problems), 3.8), squeeze=False)
    names = list(dict.fromkeys(r["name"] for r in records if r["case"].startswith("robust/")))
    for panel, problem in zip(panels[0], problems):
        for k, name in enumerate(names):
            own = [r for r in records if r["name"] == name and f"robust/{problem}/" in r["case"] and r["case"].endswith("/matched")]
            own.sort(key=lambda r: -int(r["case"].split("inliers")[1].split("/")[0]))
            y = [100 - r["auc1"] if problem == "essential" else r["median_error_px"] for r in own]
            panel.plot([r["value"] for r in own], y, "o-", color=f"C{k}", label=name)
            for r, height in zip(own, y):
                panel.annotate(r["case"].split("inliers")[1].split("/")[0] + " %", (r["value"], height), fontsize=7, xytext=(4, 3), textcoords="offset points")
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_title(problem)
        panel.set_xlabel("ms a pair, one thread")
        panel.set_ylabel("100 - AUC@1" if problem == "essential" else "error, px")
        panel.grid(alpha=0.3, which="both")
    panels[0][0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(file, dpi=110)
