"""Parts of bifocal.poselib."""
