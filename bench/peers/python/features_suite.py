"""Features and matches of photographs: time of the features of both images and of matching them, correct matches and precision.

Two sets: Oxford's pairs of planes, on which constants of Bifocal's SIFT and SURF were chosen, and 35 pairs of castle-P19, which served no choice of a
detector's or matcher's constant.
"""

import sys

import numpy as np

import estimators
import extractors
import interleaved
import oxford
import sequences


def judge(pairs, points, found):
    """Returns the mean numbers per pair, and the numbers of each pair: matches and correct matches."""
    each = {}
    for pair, indices in zip(pairs, found):
        good = pair.right(points[pair.first][indices[:, 0]], points[pair.second][indices[:, 1]])
        each[pair.name] = [len(indices), int(good.sum())]
    matches, right = np.sum(list(each.values()), axis=0)
    return {"matches": matches / len(each), "right": right / len(each), "precision": right / max(1, matches), "each": each}


def make(count, projects):
    made = {}
    for name, maker in extractors.ALL.items():
        if name.split()[0] in projects:
            try:
                made[name] = maker(count)
            except AttributeError as error:  # a part that this build of the project lacks
                print(f"{name}: {error}, left out", file=sys.stderr)
    return made


def case(label, mode, arguments, pairs, pictures, right_px):
    count = arguments.features if mode == "matched" else None
    made = make(count, arguments.projects)
    small = next(iter(pictures.values()))[:256, :256].copy()
    for one in made.values():  # loads and compiles once
        first = one.extract(small)
        one.match(first, first)
    budget = arguments.budget  # once for features and once for matches
    extracts = {name: lambda k, one=one: one.extract(pictures[k]) for name, one in made.items() if one.like is None}
    extraction = interleaved.measure(extracts, list(pictures), arguments.rounds, budget)
    extraction |= {name: extraction[one.like] for name, one in made.items() if one.like}
    known = {name: dict(zip(pictures, own.found)) for name, own in extraction.items()}
    # A project that finished fewer images has only the first pairs, because images come in the order of the pairs.
    most = {name: sum(p.second in of for p in pairs) for name, of in known.items()}
    matches = {name: lambda p, one=made[name], of=of: one.match(of[p.first], of[p.second]) for name, of in known.items()}
    matching = interleaved.measure(matches, pairs, arguments.rounds, budget, most=most)
    total = {}
    for name in made:
        own, ms = matching[name], dict(zip(pictures, extraction[name].ms))
        both = [[ms[p.first] for p in pairs[: len(own.ms)]], [ms[p.second] for p in pairs[: len(own.ms)]]]
        of = extraction[name]
        total[name] = interleaved.Timings(interleaved.together(*both, own.ms), own.found, own.wall + of.wall, own.busy + of.busy)
    for name, own in total.items():
        if not own.ms:
            print(f"{name}: no pair within its budget, left out", file=sys.stderr)
            continue
        points = {k: made[name].points(f) for k, f in known[name].items()}
        figures = judge(pairs, points, own.found) | {
            "features": float(np.mean([len(points[k]) for k in points])),
            "extract_ms": float(np.median(extraction[name].of_items())),
            "match_ms": float(np.median(matching[name].of_items())),
            "pairs": len(pairs),
        }
        first = total.get("Bifocal RootSIFT")
        if first is not None and len(own.ms) < len(first.ms):
            of = {k: made["Bifocal RootSIFT"].points(f) for k, f in known["Bifocal RootSIFT"].items()}
            figures["beside"] = judge(pairs, of, first.found[: len(own.ms)])
        settings = {"max_ratio": extractors.RATIO, "mutual": True, "right_px": right_px, **made[name].settings}
        title = f"features/{label}/{'default' if count is None else f'{count} features'}"
        yield interleaved.record(title, name, estimators.version(name), "ms/pair", own, total.get("Bifocal RootSIFT"), settings, **figures)


def records(arguments):
    sets = {
        "oxford": (oxford.read(arguments.data / "oxford_affine"), oxford.RIGHT_PX),
        "castle": (sequences.neighbours(arguments.data / "collections" / "castle-P19", 3), sequences.RIGHT_PX),
    }
    for label, ((pairs, pictures), right_px) in sets.items():
        if not pairs:
            print(f"{arguments.data}: no pairs of {label} there, left out", file=sys.stderr)
            continue
        for mode in arguments.modes:
            yield from case(label, mode, arguments, pairs, pictures, right_px)
