bifocal pair wall1.png wall3.png --out wall           # matches, a homography or F, report.html; with cameras also depth
bifocal stereo left.jpg right.jpg --max-disparity 256 --out plant   # of a rectified pair: disparity, report.html
bifocal estimate homography --points wall/matches.txt # of matches at hand: the model as JSON
bifocal collect photographs --database photographs.db # features, pairs, matches, geometry: COLMAP maps it
bifocal report photographs.db --images photographs --out photographs.html
