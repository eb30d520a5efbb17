# Matches two photographs and estimates their geometry; writes report.html.
bifocal pair wall1.png wall3.png --out wall
# Turns a folder into a COLMAP database, a sparse model, undistorted images with their cameras, and a dense cloud.
bifocal collect photographs --database photographs.db --model sparse --undistort scene --dense dense
bifocal report photographs.db --images photographs --model sparse --out photographs.html
# Computes the disparities of a rectified pair.
bifocal stereo left.jpg right.jpg --max-disparity 256 --out plant
# Estimates a homography from existing matches and prints JSON.
bifocal estimate homography --points wall/matches.txt
