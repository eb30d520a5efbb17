"""Robust estimation on a GPU: single pairs by Bifocal, fastpose's CUDA driver and kornia on torch, and all pairs in one call of Bifocal."""

import numpy as np

import estimators
import interleaved
import robust
import synthetic_pairs

DEVICE = "cuda:0"
PEERS = {"fastpose": estimators.fastpose, "kornia": estimators.kornia}
CASES = ((2000, 0.5), (2000, 0.3), (16384, 0.7))  # matches, inlier ratio


def bifocal_batch(problem, setting):
    """Returns f(pairs) -> results of all pairs in the form of the estimators, by one call."""
    import bifocal

    options = bifocal.RobustOptions(threshold=setting.px, confidence=setting.confidence, max_iterations=setting.most)
    cameras = {"cameras1": synthetic_pairs.K} if problem == "essential" else {}

    def run(points, offsets):
        found = bifocal.estimate_batch(problem, points, offsets, options=options, device=DEVICE, **cameras)
        models = zip(found.R, found.t) if problem == "essential" else [estimators.NOTHING] * len(found.ok)
        masks = np.split(np.asarray(found.inliers, bool), offsets[1:-1])
        return [(model, *pose, mask) if ok else None for model, pose, mask, ok in zip(found.models, models, masks, found.ok)]

    settings = estimators.stated(setting.px, "Sampson", setting.confidence, setting.most)
    return run, settings


def joined(pairs):
    return np.concatenate([np.c_[p.x1, p.x2] for p in pairs]), np.cumsum([0] + [len(p.x1) for p in pairs])


def case(problem, points, inliers, arguments):
    pairs = synthetic_pairs.make(arguments.pairs, points, inliers, planar=problem == "homography")
    easy = synthetic_pairs.make(1, 200, 0.9, planar=problem == "homography")
    batch, settings = bifocal_batch(problem, robust.MATCHED)
    runs, said = {"Bifocal": lambda pair: batch(*joined([pair]))[0]}, {"Bifocal": settings}
    for name, peer in PEERS.items():
        if name in arguments.projects:
            run, said[name] = peer(problem, robust.MATCHED, device="cuda")
            runs[name] = lambda pair, run=run: run(pair.x1, pair.x2)
    for run in runs.values():  # compiles once
        run(easy[0])
    taken = interleaved.measure(runs, pairs, arguments.rounds, arguments.budget)
    everything = joined(pairs)
    together = interleaved.measure({"Bifocal": lambda _: batch(*everything)}, [None], max(3, arguments.rounds), per=len(pairs))["Bifocal"]
    together.found = together.found[0]
    label = f"gpu/{problem}/n{points}/inliers{round(100 * inliers)}"
    more = {"device": DEVICE, "threads": None, "pairs": len(pairs)}
    for name, own in taken.items():
        figures = robust.judge(problem, pairs[: len(own.ms)], own.found)
        yield interleaved.record(label, name, estimators.version(name), "ms/pair", own, taken["Bifocal"], said[name], **figures, **more)
    figures = robust.judge(problem, pairs, together.found)
    name = f"Bifocal ({len(pairs)} pairs a call)"
    yield interleaved.record(label, name, estimators.version("Bifocal"), "ms/pair", together, None, settings, runs=len(pairs), **figures, **more)


def records(arguments):
    """Returns no records if Bifocal has no CUDA device."""
    import bifocal

    if any(d["id"] == DEVICE for d in bifocal.devices()):
        for problem in arguments.problems:
            for points, inliers in CASES:
                yield from case(problem, points, inliers, arguments)
