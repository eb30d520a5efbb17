"""Dense stereo: every matcher on the same rectified pairs, alternately, scored against the true disparities."""

import sys

import numpy as np

import disparity_truth
import estimators
import interleaved
import matchers


def judge(scene, raw, own_fill):
    """Returns the scores of the raw map, and `bad2_filled` after its fill: the matcher's own fill, else the fill of disparity_truth."""
    figures = disparity_truth.score(raw, scene.truth)
    full = own_fill if own_fill is not None else disparity_truth.filled(raw)
    figures["bad2_filled"] = disparity_truth.score(full, scene.truth)["bad2_all"]
    return figures


def mean(figures):
    return {key: float(np.mean([one[key] for one in figures])) for key in ("density", "bad1", "bad2", "bad2_filled", "avgerr")}


def case(label, mode, arguments, scenes):
    made = {}
    for name, make in matchers.ALL.items():
        if name.split()[0] in arguments.projects:
            made[name] = {s.name: make(mode, s.left.shape, s.disparities) for s in scenes}
    runs = {name: lambda s, of=of: of[s.name][0](s.left, s.right) for name, of in made.items()}
    for run in runs.values():  # allocates memory once
        for scene in scenes:
            run(scene)
    taken = interleaved.measure(runs, scenes, arguments.rounds, arguments.budget)
    judged = {name: [judge(s, *made[name][s.name][1](found)) for s, found in zip(scenes, own.found)] for name, own in taken.items()}
    for name, own in taken.items():
        each = {s.name: {m: round(v, 3) for m, v in e.items()} for s, e in zip(scenes, judged[name])}
        more = mean(judged[name]) | {"each": each, "pairs": len(scenes)}
        if "Bifocal SGM, 8 paths" in judged and len(each) < len(scenes):
            more["beside"] = mean(judged["Bifocal SGM, 8 paths"][: len(each)])
        settings = made[name][scenes[0].name][2]
        yield interleaved.record(f"{label}/{mode}", name, estimators.version(name), "ms/pair", own, taken.get("Bifocal SGM, 8 paths"), settings, **more)


def records(arguments):
    scenes = disparity_truth.read(arguments.data)
    # The defaults of stereo matching were chosen on Middlebury pairs that include all but the held-out ones.
    sets = {"stereo": [s for s in scenes if not s.held_out], "stereo/held out": [s for s in scenes if s.held_out]}
    for label, group in sets.items():
        if not group:
            print(f"{arguments.data}: no rectified pairs of '{label}' there, left out", file=sys.stderr)
            continue
        for mode in arguments.modes:
            yield from case(label, mode, arguments, group)
