// SPDX-License-Identifier: BSD-3-Clause
// The rules of SURF that all devices share (Bay et al., CVIU 2008, sections 3 and 4).

enum {
  SURF_LAYERS = 4,        // of an octave
  SURF_MOVES = 5,         // of a refinement
  SURF_RING = 6,          // radius of the orientation's samples, in sigma
  SURF_DIRECTIONS = 64,   // bins of the full turn
  SURF_WINDOW = 5,        // bins on both sides of one: 61.9 degrees
  SURF_SIDE = 24,         // samples of a description, a sigma apart
  SURF_CELLS = 4,         // along a side
  SURF_DETERMINANT = 16,  // weights of Dxx Dyy and of Dxy^2: 0.9^2 as 13 / 16, in whole numbers
  SURF_MIXED = 13
};

// A third of the side of filter i, 0..3, of an octave, which may lie between two.
lane_fn real surf_lobe(index octave, real layer) {
  return lane(2 << octave) * (layer + lane(1)) + lane(1);
}
// Pixels between the samples of an octave. The paper takes twice as many from the second on: these
// find a fifth more correct matches over the Oxford pairs, and lose a third as many points of a
// picture that is turned.
lane_fn index surf_step(index octave) { return octave < 2 ? 1 : 1 << (octave - 1); }
// Scale of the Gaussian that a filter stands for: 1.2 for 9 x 9.
lane_fn real surf_sigma(real lobe) { return lane(0.4) * lobe; }

// How far a maximum may lie from the pixel around which it is refined, px; step: between samples.
// More than half a pixel: one halfway between two would be sent to and fro.
lane_fn real surf_settled(real step) { return lane(0.5) + lane(0.1) * step; }

// Whole pixels that a Haar wavelet reaches from its centre, which is one pixel wide: for
// orientations of side 4 sigma, for descriptions of side 3. The paper has 2 there: 3 gives 3 % more
// correct matches over the Oxford pairs.
lane_fn index surf_wide_reach(real sigma) { return (index)(lane(2) * sigma + lane(0.5)); }
lane_fn index surf_reach(real sigma) { return (index)(lane(1.5) * sigma + lane(0.5)); }

// What a number of the unit vector is multiplied by.
lane_fn real surf_byte_scale(void) { return lane(400); }
