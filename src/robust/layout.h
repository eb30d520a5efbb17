// SPDX-License-Identifier: BSD-3-Clause
// How the numbers of a pair are laid out in memory, for the host and for all devices: enums alone.
// Included into a namespace (layout.hpp) and into the text of a search (search/shared.lanes).

// Levels of quality: the best n, n / 2, n / 4, ... matches (quality_iterations.group.h).
enum { QUALITY_LEVELS = 10 };

// What is known of a pair before the search [INFO_SIZE], made when its points are put in order.
enum {
  INFO_THRESHOLD,                 // 1 / threshold^2 in scoring coordinates
  INFO_CHANCE,                    // probability that a wrong match agrees with a wrong model
  INFO_PARALLAX,                  // squared sine of a parallax that noise can make
  INFO_FOCAL,                     // fx, fy of an absolute pose
  INFO_RAYS = INFO_FOCAL + 2,     // factors for x1, y1, x2, y2 from scoring coordinates to rays
  INFO_CENTRE = INFO_RAYS + 4,    // origin of the scoring coordinates: x1, y1, x2, y2 or X, Y, Z
  INFO_LENGTH = INFO_CENTRE + 4,  // unit of the scoring coordinates
  INFO_UNIT,                      // px in a unit of the errors
  // For matches with weights or qualities. Weights are scaled so that the sum of their squares
  // equals their sum: that many matches of weight 1 tell as much (L. Kish, Survey Sampling, 1965).
  INFO_WEIGHTED,   // 1: the weights differ
  INFO_RANKED,     // 1: there are qualities
  INFO_EFFECTIVE,  // sum of the weights
  INFO_LARGEST,    // largest weight
  INFO_SEEN,       // sums of the weights of the first 128, 256, 512 and 1024 points
  INFO_SIZE = INFO_SEEN + 4
};

// What the search of a pair knows [STATE_SIZE].
enum {
  STATE_MODEL,                     // the best, refined
  STATE_SCORE = STATE_MODEL + 12,  // of that model; 0: there is none yet
  STATE_INLIERS,
  STATE_SAMPLE_SCORE,   // of the best model straight from a sample
  STATE_DONE,           // samples drawn
  STATE_LEAST_INLIERS,  // that are significant
  STATE_NOISE,          // standard deviation of a coordinate beside the model
  STATE_NARROWED,       // 0, or by what INFO_THRESHOLD is multiplied where it is far too wide
  STATE_TESTED,         // samples until as many would have been found, at most those drawn
  STATE_SOLVED,         // 1 when a sample had a solution
  STATE_THOROUGH,       // 1: is_thorough(), after the first round
  STATE_UNPROVEN,       // 1: the model will not be believed (where is_thorough())
  STATE_PLANE,          // 1: most inliers of the fundamental matrix lie on a plane (planes.group.h)
  STATE_OFF,            // matches off that plane
  STATE_PARALLAX,       // inliers off that plane
  STATE_RATES,          // fraction of right matches at each level (quality_iterations.group.h)
  STATE_SIZE = STATE_RATES + QUALITY_LEVELS
};

// A pair whose search has ended [RESULT_SIZE].
enum {
  RESULT_MODEL,                     // in scoring coordinates
  RESULT_SIDE = RESULT_MODEL + 12,  // the side of the scene (support.group.h)
  RESULT_NOISE = RESULT_SIDE + 12,  // standard deviation of a coordinate
  RESULT_SCORE,
  RESULT_INLIERS,
  RESULT_SQUARES,    // sum of the inliers' squared errors
  RESULT_CHANCE,     // measured probability that a wrong match agrees with the model
  RESULT_COLLINEAR,  // 1: the inliers lie on a line in one of the images, to within the noise
  RESULT_ITERATIONS,
  RESULT_TESTED,   // as STATE_TESTED
  RESULT_OUTCOME,  // FOUND_...
  RESULT_PLANE,    // as STATE_PLANE
  RESULT_OFF,
  RESULT_PARALLAX,
  RESULT_ZERO_WEIGHT_INLIERS,  // inliers among the points of weight 0
  RESULT_ZERO_WEIGHT_SQUARES,  // sum of their squared errors
  RESULT_FOCAL_DEVIATION,      // standard deviation of log f, where f was sought
  RESULT_SIZE
};

// How a search ended: no sample had a solution; no model is worth a fit; a fitted model; a turn of
// the camera that explains what the relative pose does, in the place of the side.
enum { FOUND_NO_SOLUTION, FOUND_NO_FIT, FOUND_MODEL, FOUND_TURN };

// What refinement makes of a model from a sample [CONSIDERED_SIZE] (decide.group.h).
enum {
  CONSIDERED_MODEL,
  CONSIDERED_SIDE = CONSIDERED_MODEL + 12,
  CONSIDERED_REFINED = CONSIDERED_SIDE + 12,  // score of the first refinement
  CONSIDERED_SUMS,                            // model_support
  CONSIDERED_BETTER = CONSIDERED_SUMS + 4,    // 1: than the best before the round
  CONSIDERED_SIZE
};

// Where the arrays of a pair lie in a batch on a device [PAIR_SIZE].
enum {
  PAIR_FIRST,   // its first point in the caller's array
  PAIR_POINTS,  // number of its points
  PAIR_START,   // begin of its columns; of `points` COLUMNS times that
  PAIR_STRIDE,  // numbers of a column
  PAIR_TURN,    // of place k: the pair that is the k-th to be done
  PAIR_SIZE
};
// What a pair's kernels tell the next ones and the host [WORK_SIZE].
enum {
  WORK_COUNT,        // finite points of a weight above 0
  WORK_ZERO_WEIGHT,  // finite points of weight 0
  WORK_DONE,         // samples drawn
  WORK_PLAN,         // samples of the next round
  WORK_DISTINCT_INLIERS,
  WORK_DISTINCT_POINTS,
  WORK_SIZE
};
// The columns that are made of a pair's weights and qualities (pair_view.group.h), and the flags of
// which of the two are given.
enum { PRIOR_WEIGHTS, PRIOR_RANKS, PRIOR_CUMULATIVE_WEIGHTS, PRIOR_COLUMNS };
enum { GIVEN_WEIGHTS = 1, GIVEN_QUALITIES = 2 };

// Numbers of a pair's two cameras: fx fy cx cy of each.
enum { CAMERA_NUMBERS = 8 };

enum { FRAME_SUBSET = 128 };    // first points, whose medians make the scoring coordinates
enum { SCORE_POINTS = 1024 };   // first points, on which a model from a sample is scored
enum { SEARCH_POINTS = 1024 };  // first points, on which it is refined
// Models of a round that are refined, of pairs of fewer points than FEW_FOR_MOST and of others.
enum { MOST_CANDIDATES = 16, CANDIDATES = 8, FEW_FOR_MOST = 32 };
enum { FEW_INLIERS = 40 };  // with fewer, more samples are drawn
enum { LEAST_ROUND = 64, GROWN_ROUND = 1024, MOST_ROUND = 4096 };  // samples of a round
enum { MOST_SHIFTS = 16, WRONG_MATCHES = 1000 };                   // see chance_rate
