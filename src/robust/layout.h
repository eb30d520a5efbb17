// SPDX-License-Identifier: BSD-3-Clause
// How the numbers of a pair are laid out in memory, for the host and for all devices: enums alone.
// Included into a namespace (layout.hpp) and into the text of a search (search/shared.lanes).

// Levels of quality: the best n, n / 2, n / 4, ... matches (quality_trials.group.h).
enum { QUALITY_LEVELS = 10 };

// What is known of a pair before the search [INFO_SIZE], made when its points are put in order.
enum {
  INFO_THRESHOLD,                 // 1 / threshold^2 in scoring coordinates
  INFO_CHANCE,                    // probability that a wrong match agrees with a wrong model
  INFO_PARALLAX,                  // squared sine of a parallax that noise can make
  INFO_FOCAL,                     // fx, fy of an absolute pose
  INFO_RAYS = INFO_FOCAL + 2,     // x1, y1, x2, y2: from scoring coordinates to rays
  INFO_CENTRE = INFO_RAYS + 4,    // of each image (x1, y1, x2, y2) or of the world, and
  INFO_LENGTH = INFO_CENTRE + 4,  // unit, of the scoring coordinates
  INFO_UNIT,                      // px a unit of the errors
  // Of matches with weights or qualities. Weights are scaled so that the sum of their squares
  // equals their sum: that many matches of weight 1 tell as much (L. Kish, Survey Sampling, 1965).
  INFO_WEIGHTED,   // 1: the weights differ
  INFO_RANKED,     // 1: there are qualities
  INFO_EFFECTIVE,  // sum of the weights
  INFO_LARGEST,    // weight
  INFO_SEEN,       // weight of the first 128, 256, 512 and 1024 points
  INFO_SIZE = INFO_SEEN + 4
};

// What the search of a pair knows [STATE_SIZE].
enum {
  STATE_MODEL,                    // the best, refined
  STATE_GAIN = STATE_MODEL + 12,  // of it; 0: none yet
  STATE_INLIERS,
  STATE_RAW,       // gain of the best model straight from a sample
  STATE_DONE,      // trials
  STATE_SOLVED,    // 1 when a sample had a solution
  STATE_PLANE,     // 1: most inliers of the fundamental matrix lie on one plane (planes.group.h)
  STATE_OFF,       // matches off it, and
  STATE_PARALLAX,  // inliers among them
  STATE_RATES,     // of the right matches among the best ones (quality_trials.group.h)
  STATE_SIZE = STATE_RATES + QUALITY_LEVELS
};

// A pair whose search has ended [RESULT_SIZE].
enum {
  RESULT_MODEL,                     // in scoring coordinates
  RESULT_SIDE = RESULT_MODEL + 12,  // the side of the scene (support.group.h)
  RESULT_NOISE = RESULT_SIDE + 12,  // standard deviation of a coordinate
  RESULT_GAIN,
  RESULT_INLIERS,
  RESULT_SQUARES,    // sum of the inliers' squared errors
  RESULT_CHANCE,     // measured probability that a wrong match agrees with the model
  RESULT_COLLINEAR,  // 1: the inliers lie on a line in one of the images, to within the noise
  RESULT_TRIALS,
  RESULT_OUTCOME,  // 0: no sample had a solution, 1: no model is worth a fit, 2: a fitted model
  RESULT_PLANE,    // as STATE_PLANE
  RESULT_OFF,
  RESULT_PARALLAX,
  RESULT_IDLE_INLIERS,  // of weight 0, and
  RESULT_IDLE_SQUARES,  // the sum of their squared errors
  RESULT_SIZE
};

// Where a pair's arrays lie in a batch on a device: PAIR_SIZE numbers each.
enum {
  PAIR_FIRST,   // of its points in the caller's array
  PAIR_POINTS,  // how many
  PAIR_START,   // of its columns: in points COLUMNS times as far
  PAIR_STRIDE,
  PAIR_SIZE
};
// What the rounds of a pair say to each other and to the host: WORK_SIZE numbers each.
enum {
  WORK_COUNT,  // finite points of a weight above 0
  WORK_IDLE,   // finite points of weight 0
  WORK_DONE,   // trials
  WORK_PLAN,   // trials of the next round
  WORK_DISTINCT_INLIERS,
  WORK_DISTINCT_POINTS,
  WORK_SIZE
};
// Columns of the numbers that the weights and qualities of a pair give (PairPriors), and which of
// the two there are.
enum { PRIOR_SHARES, PRIOR_RANKS, PRIOR_MASSES, PRIOR_COLUMNS };
enum { GIVEN_WEIGHTS = 1, GIVEN_QUALITIES = 2 };

// Numbers of a pair's two cameras: fx fy cx cy of each.
enum { CAMERA_NUMBERS = 8 };

enum { FRAME_SUBSET = 128 };    // points whose medians make the scoring coordinates
enum { SCORE_POINTS = 1024 };   // that a model from a sample is scored on: the first ones
enum { SEARCH_POINTS = 1024 };  // that it is refined on
enum { LEAST_ROUND = 64, GROWN_ROUND = 1024, MOST_ROUND = 4096 };  // trials of a round
enum { MOST_SHIFTS = 16, WRONG_MATCHES = 1000 };                   // of chance_rate
