# Matches two photographs and estimates their geometry; writes report.html.
bifocal pair wall1.png wall3.png --out wall
# Computes the disparities of a rectified pair.
bifocal stereo left.jpg right.jpg --max-disparity 256 --out plant
# Estimates a homography from existing matches and prints JSON.
bifocal estimate homography --points wall/matches.txt
# Matches a folder into a COLMAP database, then writes an HTML report.
bifocal collect photographs --database photographs.db
bifocal report photographs.db --images photographs --out photographs.html
