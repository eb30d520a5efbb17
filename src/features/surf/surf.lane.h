// SPDX-License-Identifier: BSD-3-Clause
// Rules of SURF that all devices share (Bay et al., CVIU 2008, sections 3 and 4).

enum {
  SURF_LAYERS = 4,        // layers of an octave
  SURF_MOVES = 5,         // steps of a refinement
  SURF_RING = 6,          // radius of the samples for an orientation, in sigma
  SURF_DIRECTIONS = 64,   // bins of the full circle
  SURF_WINDOW = 5,        // bins on both sides of a bin: a window of 61.9 degrees
  SURF_SIDE = 24,         // samples along a side of a description, a sigma apart
  SURF_CELLS = 4,         // cells along a side
  SURF_CELL_SIDE = 9,     // samples along a side of a cell
  SURF_CELL_STEP = 5,     // samples from a cell to the next
  SURF_DETERMINANT = 16,  // weights of Dxx Dyy and of Dxy^2: 0.9^2 as 13 / 16, in whole numbers
  SURF_MIXED = 13
};

// Returns a third of the side of filter i, 0 to 3, of an octave. `layer` may lie between
// two filters.
lane_fn real surf_lobe(index octave, real layer) {
  return lane(2 << octave) * (layer + lane(1)) + lane(1);
}
// Returns the pixels between the samples of an octave. The paper uses twice as many from the second
// octave on. The smaller distance finds a fifth more correct matches over the Oxford pairs, and
// loses a third as many points if the image is rotated.
lane_fn index surf_step(index octave) { return octave < 2 ? 1 : 1 << (octave - 1); }
// Returns the scale of the Gaussian that a filter approximates: 1.2 for 9 x 9.
lane_fn real surf_sigma(real lobe) { return lane(0.4) * lobe; }

// Returns the largest distance, in px, of a maximum from the pixel around which it is refined.
// step: px between samples. It is more than half a pixel, because a maximum halfway between two
// pixels would alternate between them.
lane_fn real surf_max_offset(real step) { return lane(0.5) + lane(0.1) * step; }

// Return the whole pixels that a Haar wavelet reaches from its centre, which is one pixel wide.
// Wavelets of orientations have sides of 4 sigma, wavelets of descriptions sides of 3 sigma. The
// paper uses 2 sigma for descriptions; 3 sigma give 3 % more correct matches over the Oxford pairs.
lane_fn index surf_wide_reach(real sigma) { return (index)(lane(2) * sigma + lane(0.5)); }
lane_fn index surf_reach(real sigma) { return (index)(lane(1.5) * sigma + lane(0.5)); }

// Returns the factor by which elements of the unit vector are multiplied.
lane_fn real surf_byte_scale(void) { return lane(400); }
