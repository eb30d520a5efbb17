"""Pairs of images and matches: graphs, positions, duplicates, nearest descriptors."""

import itertools

import numpy as np
from registry import holds

import bifocal


@holds("pairs.all_pairs", "pairs.tidy_pairs", "pairs.image_components", reference="itertools, sets and a search", cases=200)
def test_pairs_and_components(rng):
    """Pairs equal itertools' combinations, tidy pairs equal a set, components equal a search, with duplicates, loops and lonely images."""
    n = int(rng.integers(0, 30))
    assert bifocal.pairs.all_pairs(n).tolist() == [list(p) for p in itertools.combinations(range(n), 2)]
    if n == 0:
        return
    pairs = rng.integers(0, n, (rng.integers(0, 40), 2))
    tidy = sorted({(min(a, b), max(a, b)) for a, b in pairs.tolist() if a != b})
    assert [tuple(p) for p in bifocal.pairs.tidy_pairs(pairs).tolist()] == tidy
    label = list(range(n))
    for _ in range(n):
        for a, b in tidy:
            label[a] = label[b] = min(label[a], label[b])
    assert bifocal.pairs.image_components(n, pairs).tolist() == label


@holds("pairs.sequential_pairs", reference="the documented rule", cases=100)
def test_sequential_pairs(rng):
    """Images are paired with the next `overlap` images, and with images at powers of two."""
    n, overlap, quadratic = int(rng.integers(0, 60)), int(rng.integers(1, 12)), bool(rng.integers(2))
    steps = set(range(1, overlap + 1)) | ({2**k for k in range(overlap)} if quadratic else set())
    assert [tuple(p) for p in bifocal.pairs.sequential_pairs(n, overlap=overlap, quadratic=quadratic).tolist()] == sorted((a, a + s) for a in range(n) for s in steps if a + s < n)


@holds("pairs.near_pairs", reference="distances on a sphere in NumPy", cases=100)
def test_near_pairs(rng):
    """All pairs within the distance are found and no more, next to the poles, at the date line and with missing positions."""
    n = int(rng.integers(2, 25))
    centre = rng.choice([[0, 0], [89.9995, 30], [-45, 179.9999], [50, -179.9999], [10, 10]])
    where = centre + rng.normal(size=(n, 2)) * 1e-3
    where[:, 0] = np.clip(where[:, 0], -90, 90)
    where[:, 1] = (where[:, 1] + 180) % 360 - 180
    where[rng.uniform(size=n) < 0.1] = np.nan
    lat, lon = np.radians(where).T
    unit = np.c_[np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)]
    metres = 6371e3 * 2 * np.arcsin(np.clip(np.linalg.norm(unit[:, None] - unit[None], axis=2) / 2, 0, 1))
    got = {tuple(p) for p in bifocal.pairs.near_pairs(where, max_distance_m=60.0, max_partners=50).tolist()}
    for a, b in itertools.combinations(range(n), 2):
        if not 59 < metres[a, b] < 61:  # the radius of the Earth differs by up to 0.6 %
            assert ((a, b) in got) == bool(metres[a, b] < 60), f"{metres[a, b]} m"


@holds("pairs.suggested_partners", "pairs.linking_pairs", reference="the documented rules, by brute force", cases=100)
def test_proposals(rng):
    """Proposals were not matched, exist once, and have the largest score; links join different components by the most matches."""
    n = int(rng.integers(3, 14))
    pairs = bifocal.pairs.tidy_pairs(rng.integers(0, n, (2 * n, 2)))
    inliers = rng.integers(0, 50, len(pairs))
    strength = {tuple(p): k for p, k in zip(pairs.tolist(), inliers.tolist())}
    weight = lambda a, b: strength.get((min(a, b), max(a, b)), 0)
    found = bifocal.pairs.suggested_partners(n, pairs, inliers, max_proposals=1).tolist()
    assert len({(min(p), max(p)) for p in found}) == len(found)
    for a, b in found:
        assert (min(a, b), max(a, b)) not in strength and a != b
        score = lambda c: max(min(weight(a, m), weight(m, c)) for m in range(n))
        assert score(b) > 0
    verified = pairs[inliers > 25]
    label = bifocal.pairs.image_components(n, verified)
    rest = bifocal.pairs.tidy_pairs(rng.integers(0, n, (2 * n, 2)))
    matches = rng.integers(1, 50, len(rest))
    links = bifocal.pairs.linking_pairs(n, verified, rest, matches).tolist()
    for a, b in links:
        assert label[a] != label[b] and [a, b] in rest.tolist()
    for c in set(label.tolist()):
        out = [m for (a, b), m in zip(rest.tolist(), matches.tolist()) if (label[a] == c) != (label[b] == c)]
        if out:
            assert max(out) in [m for (a, b), m in zip(rest.tolist(), matches.tolist()) if [a, b] in links and (label[a] == c) != (label[b] == c)]


@holds("pairs.keep_distinct_places", reference="a dictionary", cases=100)
def test_one_match_remains_for_each_place(rng):
    """Of the matches between the same two positions the match with the smallest distance remains."""
    rows = rng.integers(0, 4, (60, 4)).astype(float)
    rows[rows == 0] *= rng.choice([-1.0, 1.0])  # -0 is 0
    distance = rng.permutation(60).astype(float)
    keep = bifocal.pairs.keep_distinct_places(rows, distance=distance)
    best = {}
    for k, row in enumerate(rows + 0.0):
        if tuple(row) not in best or distance[k] < distance[best[tuple(row)]]:
            best[tuple(row)] = k
    assert np.flatnonzero(keep).tolist() == sorted(best.values())


@holds("bifocal.match_descriptors", reference="distances in NumPy", cases=60)
def test_float_descriptors_match_their_mutual_nearest(rng):
    """Matches are the mutual nearest descriptors that pass the ratio test, for lengths that are no multiples of a register."""
    dim, n1, n2 = int(rng.choice([3, 17, 64, 128, 250])), int(rng.integers(2, 70)), int(rng.integers(2, 70))
    a = rng.normal(size=(n1, dim)).astype(np.float32)
    b = np.r_[a[: n2 // 2] + 0.05 * rng.normal(size=(min(n1, n2 // 2), dim)).astype(np.float32), rng.normal(size=(n2, dim)).astype(np.float32)][:n2]
    a, b = (x / np.linalg.norm(x, axis=1)[:, None] for x in (a, b.astype(np.float32)))
    found = bifocal.match_descriptors(a, b, bifocal.FloatMatchOptions(max_ratio=1.0))
    similarity = a.astype(float) @ b.astype(float).T
    best2, best1 = similarity.argmax(1), similarity.argmax(0)
    expected = {(i, int(best2[i])) for i in range(n1) if best1[best2[i]] == i}
    got = {tuple(p) for p in np.asarray(found.indices).tolist()}
    assert got == expected, f"{len(got - expected)} too many, {len(expected - got)} missing"
