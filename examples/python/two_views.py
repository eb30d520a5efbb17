#!/usr/bin/env python3
"""two_views.py LEFT RIGHT OUT.png: matches two photographs, estimates a homography or a fundamental matrix, and draws the matches."""

import sys

import bifocal


def main(left_file, right_file, out_file):
    left, right = bifocal.read_image(left_file), bifocal.read_image(right_file)
    features1, features2 = bifocal.detect(left), bifocal.detect(right)
    i, j = bifocal.match(features1, features2, distinct_places=True).indices.T
    x1, x2 = features1.xy[i], features2.xy[j]

    plane, general = bifocal.estimate_homography(x1, x2), bifocal.estimate_fundamental(x1, x2)
    choice = bifocal.two_view.choose_model(x1, x2, plane, general)
    found = plane if choice.kind == "homography" else general
    print(f"{len(features1)} and {len(features2)} features, {len(i)} matches")
    print(f"a plane explains {plane.num_inliers} ({plane.reason}), two views of depth {general.num_inliers} ({general.reason})")
    print(choice.reason)
    bifocal.write_image(out_file, bifocal.draw_matches(left, right, x1, x2, found.inliers))
    return 0 if found.ok else 5


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
