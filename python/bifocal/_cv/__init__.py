"""Parts of bifocal.cv, one file per group of OpenCV's functions."""
