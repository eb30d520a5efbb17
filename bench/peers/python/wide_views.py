#!/usr/bin/env python3
"""Correct matches between distant views: SIFT of Bifocal and of pycolmap, each plain, with pooled domain sizes, with affine shapes and with both.

    build-peers/bin/python bench/peers/python/wide_views.py ../shared/data [--features 4096] [--sequences fountain-P11]

All pairs of fountain-P11 and of Herz-Jesus-P8, by the angle between the cameras. Each image has the same number of features at a quarter of the usual
contrast threshold: the strongest of Bifocal's, the largest of pycolmap's. One matcher (Bifocal's) serves all: ratio 0.8, mutual, and of several
matches at a place the match with the smallest ratio. Correct: within 1.5 px of the epipolar lines of the measured cameras (Sampson). Time: CPU time of
this process per image, alternately.
"""

import argparse
import pathlib
import time

import numpy as np

import oxford
import sequences

OPTIONS = {"": (False, False), " pooled": (True, False), " affine": (False, True), " affine, pooled": (True, True)}
MORE = 0.25
STEP = 20  # degrees
SEQUENCES = ("fountain-P11", "Herz-Jesus-P8")


def bifocal_sift(count, pooled, affine):
    import bifocal

    options = bifocal.SiftOptions(max_features=count, contrast_threshold=0.04 * MORE, domain_size_pooling=pooled, affine_shape=affine)

    def extract(picture):
        found = bifocal.detect(picture, options)
        return np.array(found.xy), np.array(found.descriptors)

    return extract


def pycolmap_sift(count, pooled, affine):
    import pycolmap

    options = pycolmap.FeatureExtractionOptions()
    options.num_threads = 1
    sift = options.sift
    sift.max_num_features, sift.domain_size_pooling, sift.estimate_affine_shape = count, pooled, affine
    sift.peak_threshold *= MORE
    extractor = pycolmap.FeatureExtractor.create(options, pycolmap.Device.cpu)

    def extract(picture):
        points, descriptors = extractor.extract_from_uint8_array(picture)
        return np.array([(p.x, p.y) for p in points[:count]]) - 0.5, np.array(descriptors.data[:count])

    return extract


def by_place(a, b):
    """Returns the matched places of two images' features."""
    import bifocal

    found = bifocal.match(a[1], b[1], bifocal.MatchOptions(max_ratio=0.8, mutual=True))
    places, kept = (set(), set()), []
    for k in np.argsort(found.ratio, kind="stable"):
        i, j = found.indices[k]
        p, q = tuple(a[0][i]), tuple(b[0][j])
        if p not in places[0] and q not in places[1]:
            places[0].add(p), places[1].add(q), kept.append((i, j))
    kept = np.array(kept, int).reshape(-1, 2)
    return a[0][kept[:, 0]], b[0][kept[:, 1]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--features", type=int, default=4096)
    parser.add_argument("--sequences", nargs="+", default=SEQUENCES, choices=SEQUENCES)
    arguments = parser.parse_args()
    makers = {"Bifocal": bifocal_sift, "pycolmap": pycolmap_sift}
    made = {who + name: maker(arguments.features, *which) for who, maker in makers.items() for name, which in OPTIONS.items()}
    for sequence in arguments.sequences:
        files = sorted((arguments.data / "collections" / sequence).iterdir())
        cameras = [sequences.camera(arguments.data / "strecha" / sequence / f"{f.name}.camera", 2) for f in files]
        found, seconds = {name: [] for name in made}, dict.fromkeys(made, 0.0)
        for file in files:
            picture = oxford.grey(file)
            for name, extract in made.items():
                start = time.process_time()
                found[name].append(extract(picture))
                seconds[name] += time.process_time() - start
        directions = [c[1][2] for c in cameras]
        groups = {}
        for i in range(len(files)):
            for j in range(i + 1, len(files)):
                angle = np.degrees(np.arccos(np.clip(directions[i] @ directions[j], -1, 1)))
                groups.setdefault(int(angle // STEP), []).append((i, j))
        titles = [f"{g * STEP}-{(g + 1) * STEP} deg ({len(groups[g])})" for g in sorted(groups)]
        print(f"\n{sequence}, right matches and precision\n| | features | s/picture | {' | '.join(titles)} |\n{'|---' * (3 + len(titles))}|", flush=True)
        for name, features in found.items():
            cells = []
            for g in sorted(groups):
                good = [sequences.right(sequences.fundamental(cameras[i], cameras[j]), *by_place(features[i], features[j])) for i, j in groups[g]]
                total = np.concatenate(good)
                cells.append(f"{total.sum()}, {100 * total.mean():.1f} %")
            print(f"| {name} | {np.mean([len(f[0]) for f in features]):.0f} | {seconds[name] / len(files):.2f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
