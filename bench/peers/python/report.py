"""Writes records as Markdown."""

from itertools import groupby

# Accuracies by the beginning of a case: key, whether larger is better, format.
QUALITIES = {
    "robust/essential": [("auc1", True, "AUC@1 {:.1f}")],
    "sizes/essential": [("auc1", True, "AUC@1 {:.1f}")],
    "robust/fundamental": [("median_error_px", False, "{:.3f} px")],
    "sizes/fundamental": [("median_error_px", False, "{:.3f} px")],
    "robust/homography": [("median_error_px", False, "{:.3f} px")],
    "sizes/homography": [("median_error_px", False, "{:.3f} px")],
    "gpu/essential": [("auc1", True, "AUC@1 {:.1f}")],
    "gpu/fundamental": [("median_error_px", False, "{:.3f} px")],
    "gpu/homography": [("median_error_px", False, "{:.3f} px")],
    "real": [("solved", True, "{:.0f} solved"), ("median_error_px", False, "{:.2f} px")],
    "features": [("right", True, "{:.0f} correct matches"), ("precision", True, "precision {:.3f}")],
    "stereo": [("bad2_filled", False, "{:.2f} % bad after fill")],
    "solvers": [("solved_share", True, "solved {:.3f}")],
}
FEWEST = 20  # pairs for which the accuracy of a synthetic case is shown
# The row of Bifocal that a peer's row is compared with.
OWN = {"features": "Bifocal RootSIFT", "stereo": "Bifocal SGM, 8 paths"}


def qualities(case):
    return next((q for start, q in QUALITIES.items() if case.startswith(start)), [])


def own_of(group):
    return next((r for r in group if r["name"] == OWN.get(r["case"].split("/")[0], "Bifocal")), None)


def enough(record):
    """Returns whether the accuracy of a row is shown: at least FEWEST synthetic pairs, or a whole set of photographs."""
    synthetic = record["case"].split("/")[0] in {"robust", "sizes", "gpu"}
    return record["runs"] >= (FEWEST if synthetic else record.get("pairs", 0))


def figures(value):
    return f"{value:.0f}" if value >= 99.5 else f"{value:.3g}"


def quality(record):
    """Returns the accuracy of a row as text, empty without enough pairs."""
    if not enough(record):
        return ""
    parts = [how.format(record[key]) for key, _, how in qualities(record["case"])]
    if record["case"].startswith("stereo"):
        parts += [f"{record['density']:.1f} % known, {record['bad2']:.2f} % of known bad"]
    if record["case"].startswith("features"):
        parts += [f"{record['features']:.0f} features"]
    return ", ".join(parts)


def settings(record):
    """Returns the settings of a row: thresholds, confidences and threads."""
    own = record["settings"]
    if "threshold_px" in own:
        parts = [f"{own['threshold_px']:g} px ({own['threshold_of']})", f"confidence {own['confidence']:g}", f"{own['max_samples']} samples"]
        parts += [f"at least {own['min_samples']}"] if "min_samples" in own else []
    else:
        parts = [f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}" for key, value in own.items()]
    return ", ".join([*parts, f"{record['threads']} thread" if record["threads"] else record["device"]])


def seen(record):
    """Returns the number of pairs as text if the time budget ended before all pairs, else an empty text."""
    return f"{record['runs']} of {record['pairs']} pairs" if record["runs"] < record.get("pairs", 0) else ""


def unpadded(record):
    """Returns a note for a time that was measured without the padding that the accuracy has."""
    return " without padding" if record.get("time_without_padding") else ""


def short(record):
    """Returns the number of pairs if the time budget ended before all pairs, and Bifocal's accuracy on the same pairs."""
    if not seen(record):
        return ""
    key, _, how = qualities(record["case"])[0]
    own = f"; Bifocal {how.format(record['beside'][key]).removeprefix('AUC@1 ')}" if "beside" in record and enough(record) else ""
    return f" ({record['runs']} pair{'s' if record['runs'] > 1 else ''}{own})"


def head(records):
    about = records[0]["machine"]
    names = dict.fromkeys((r["name"].split()[0], r["version"]) for r in records)
    return (
        f"{about['cpu']} ({about['simd']}), one thread, Python {about['python']}, {about['date']}, measured at commit {about['commit'][:10]}"
        f"{', --quick' if about.get('quick') else ''}{', processor time' if about.get('clock') == 'process' else ''}; {', '.join(' '.join(n) for n in names)}. {about['note']}"
    ).strip()


def by_case(records):
    return [(case, list(group)) for case, group in groupby(records, key=lambda r: r["case"])]


def unequal(records):
    """Returns the cases of the mode `matched` whose confidences or bounds of samples differ between projects. The list should be empty."""
    out = []
    for case, group in by_case(records):
        if case.endswith("/matched") or case.startswith("real/"):
            for key in ("confidence", "max_samples", "min_samples"):
                said = {r["settings"][key] for r in group if key in r["settings"]}
                if len(said) > 1:
                    out.append(f"{case}: {key} {sorted(said)}")
    return out


def all_settings(group):
    """Returns the settings of a case in one line, with the names of their projects if they differ."""
    users = {}
    for r in group:
        users.setdefault(settings(r), []).append(r["name"])
    if len(users) == 1:
        return f"All: {next(iter(users))}."
    return "; ".join(f"{', '.join(names)}: {words}" for words, names in users.items()) + "."


def table(records):
    """Returns a table for each case, with a row per project, without empty columns."""
    parts = []
    for case, group in by_case(records):
        rows = [["project", "median (least, most of the rounds)", "time / Bifocal's", "accuracy", "pairs"]]
        for r in group:
            pairs = seen(r) + (f" {r['failures']} without a model" if r.get("failures") else "")
            spread = f" ({figures(r['low'])}, {figures(r['high'])})" if r["low"] is not None else ""
            time = f"{figures(r['value'])}{spread} {r['unit']}{unpadded(r)}"
            rows.append([f"{r['name']} {r['version']}", time, f"{float(format(r['ratio'], '.2g')):g}" if "ratio" in r else "", quality(r), pairs.strip()])
        kept = [k for k in range(5) if any(row[k] for row in rows[1:])]
        lines = ["| " + " | ".join(row[k] for k in kept) + " |" for row in rows]
        parts.append("\n".join([f"#### {case}", "", all_settings(group), "", lines[0], "|" + "---|" * len(kept), *lines[1:]]))
    return "\n\n".join(parts) + "\n"


def better(record, own):
    """Returns the keys in which a peer's row, as printed, is better than Bifocal's; "value" is the time."""
    if own is None or record["name"].startswith("Bifocal"):
        return []
    own = own | record.get("beside", {})  # Bifocal's accuracy on the same pairs if the peer finished fewer
    if not enough(record):
        return ["value"] if record["ratio"] < 1 else []
    keys = [key for key, more, how in qualities(record["case"]) if how.format(record[key]) != how.format(own[key]) and (record[key] > own[key]) == more]
    return keys + (["value"] if record["ratio"] < 1 else [])


def ahead(records):
    """Returns a line per row in which a peer is faster or more accurate than Bifocal, with time and accuracy of both."""
    lines = []
    for case, group in by_case(records):
        own = own_of(group)
        for r in group:
            if better(r, own):
                few = f" ({seen(r)})" if seen(r) else ""
                both = f", {quality(r)}{few}; {own['name']}: {quality(own | r.get('beside', {}))}" if enough(r) else f"; accuracy over {r['runs']} pairs left out"
                lines.append(f"* {case}, {r['name']}: {figures(r['ratio'])} times the time{unpadded(r)}{both}")
    return "\n".join(lines)
