"""Parts of bifocal.colmap."""
