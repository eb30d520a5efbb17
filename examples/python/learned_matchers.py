#!/usr/bin/env python3
"""learned_matchers.py METHOD DATABASE PHOTOGRAPH...: matches photographs with a learned matcher into a verified COLMAP database.

METHOD is aliked or disk (with LightGlue), or xfeat (with LighterGlue). Needs pip install 'bifocal-geometry[learned]'.
"""

import sys

from bifocal import colmap, learned

if len(sys.argv) < 5:
    sys.exit(__doc__)
method, database, *photographs = sys.argv[1:]
found = learned.match_learned(photographs, method)
done = colmap.write_pairs(database, found.keypoints, found.matches, found.sizes)
print(f"{database}: {len(found.keypoints)} images, {done.verified} of {done.pairs} pairs verified, {done.inliers} inliers")
sys.exit(0 if done.verified else 5)
