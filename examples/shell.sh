# Matches two photographs and finds their geometry; writes report.html.
bifocal pair wall1.png wall3.png --out wall
# Finds the disparities of a rectified pair.
bifocal stereo left.jpg right.jpg --max-disparity 256 --out plant
# Fits a model to matches at hand and prints JSON.
bifocal estimate homography --points wall/matches.txt
# Takes a folder to a database that COLMAP maps, and makes a page of it.
bifocal collect photographs --database photographs.db
bifocal report photographs.db --images photographs --out photographs.html
