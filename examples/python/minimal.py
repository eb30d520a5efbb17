# minimal.py LEFT RIGHT: the fundamental matrix of two photographs.
import sys
import bifocal

left, right = (bifocal.read_image(file) for file in sys.argv[1:3])
features1, features2 = bifocal.detect(left), bifocal.detect(right)
i, j = bifocal.match(features1, features2, distinct_places=True).indices.T
found = bifocal.estimate_fundamental(features1.xy[i], features2.xy[j])
print(f"{found.num_inliers} of {len(i)} matches agree.", found.reason)
print(found.model)
