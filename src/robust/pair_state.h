// SPDX-License-Identifier: BSD-3-Clause
// The records of a pair in memory, as structs whose members have one width, with the same bytes on
// the host and on all devices. Included into namespace bifocal::robust (pair_state.hpp) for C++ and
// CUDA, and into the OpenCL source (ransac/shared.lanes).

// Number of quality levels: the best n, n / 2, n / 4, ... matches (quality_iterations.group.h).
enum { QUALITY_LEVELS = 10 };

// A pair before RANSAC, filled when its points are prepared.
typedef struct pair_info {
  double threshold;  // 1 / threshold^2 in scoring coordinates
  double chance;     // probability that an outlier is an inlier of a wrong model
  double parallax;   // squared sine of the largest parallax that noise can cause
  double focal[2];   // fx, fy of an absolute pose
  double rays[4];    // factors for x1, y1, x2, y2 from scoring coordinates to rays
  double centre[4];  // origin of the scoring coordinates: x1, y1, x2, y2 or X, Y, Z and, if f is
                     // unknown, the unit of the image
  double length;     // unit of the scoring coordinates
  double unit;       // px per unit of the errors
  // Members for matches with weights or qualities. Weights are scaled so that the sum of their
  // squares equals their sum, which is then the effective number of matches (L. Kish, Survey
  // Sampling, 1965).
  double weighted;      // 1: the weights are not all equal
  double ranked;        // 1: qualities are given
  double effective;     // sum of the weights
  double largest;       // largest weight
  double seen[4];       // sums of the weights of the first 128, 256, 512 and 1024 points
  double log10_alarms;  // log10 of the significance level (RobustOptions::belief)
} pair_info;

// The plane that contains most inliers of a fundamental matrix (planes.group.h).
typedef struct dominant_plane {
  double is_found;  // 1: most inliers lie on a plane
  double off;       // matches off that plane
  double parallax;  // inliers off that plane
} dominant_plane;

// The state of RANSAC on a pair: its best model and the numbers that decide when sampling ends.
typedef struct ransac_state {
  double model[12];      // the best model so far, refined
  double score;          // its score; 0: no model yet
  double inliers;        // estimated number of correct matches, inliers or not
  double sample_score;   // highest score of an unrefined model from a sample
  double done;           // samples drawn
  double least_inliers;  // smallest significant number of inliers
  double noise;          // standard deviation of a coordinate about the model
  double narrowed;       // factor on `threshold` of pair_info if it is far too wide; else 0
  double tested;         // samples needed to find least_inliers, at most `done`
  double solved;         // 1 when a sample had a solution
  double thorough;       // 1: is_thorough(), after the first round
  double unproven;       // 1: the model would fail the significance test (if is_thorough())
  dominant_plane plane;
  double rates[QUALITY_LEVELS];  // fraction of correct matches per quality level
} ransac_state;

// The support of a model.
typedef struct support_sums {
  double score;    // MSAC: sum of max(0, 1 - e / threshold^2) of squared errors e
  double inliers;  // number of points with errors below the threshold
  double squares;  // sum of their squared errors
  double weight;   // sum of their weights
} support_sums;

// The result of RANSAC on a pair.
typedef struct ransac_result {
  double model[12];  // in scoring coordinates
  double side[12];   // side of the scene (support.group.h)
  double noise;      // standard deviation of a coordinate
  support_sums support;
  double chance;      // measured probability that an outlier is an inlier of the model
  double collinear;   // 1: the inliers of an image are collinear to within the noise
  double iterations;  // samples drawn
  double tested;      // as in ransac_state
  double outcome;     // FOUND_...
  dominant_plane plane;
  double zero_weight_inliers;  // inliers among the points of weight 0
  double zero_weight_squares;  // sum of their squared errors
  double deviation;            // standard deviation of log f or of the distortion
} ransac_result;

// Outcomes of RANSAC: no sample had a solution; no model is worth the last fit; a fitted model;
// a rotation of the camera that explains the inliers of the relative pose, stored in place of
// the side.
enum { FOUND_NO_SOLUTION, FOUND_NO_FIT, FOUND_MODEL, FOUND_ROTATION };

// The model of a sample after refinement (decide.group.h).
typedef struct refined_model {
  double model[12], side[12];
  double first_score;  // of the first refinement, on its subset of the points
  support_sums support;
  double is_better;  // 1: better than the best model before the round
} refined_model;

// The offsets of a pair's arrays in a batch on a device.
typedef struct pair_place {
  offset first;     // index of its first point in the caller's array
  offset points;    // number of its points
  offset start;     // begin of its columns; `points` begins at COLUMNS times start
  offset stride;    // elements of a column
  offset in_order;  // entry k: the k-th pair in processing order
} pair_place;

// The counters that the kernels of a pair hand to later kernels and to the host.
typedef struct pair_work {
  int count;                              // finite points of a weight above 0
  int zero_weight;                        // finite points of weight 0
  int done;                               // samples drawn
  int plan;                               // samples of the next round
  int distinct_inliers, distinct_points;  // distinct points, in the image (or scene) with fewer
} pair_work;

// The columns computed from a pair's weights and qualities (pair_view.group.h), and flags for which
// of the two are given.
enum { PRIOR_WEIGHTS, PRIOR_RANKS, PRIOR_CUMULATIVE_WEIGHTS, PRIOR_COLUMNS };
enum { GIVEN_WEIGHTS = 1, GIVEN_QUALITIES = 2 };

// Parameters of a pair's two cameras: fx fy cx cy each.
enum { CAMERA_NUMBERS = 8 };

enum { FRAME_SUBSET = 128 };    // first points, whose medians define the scoring coordinates
enum { SCORE_POINTS = 1024 };   // first points, on which a model from a sample is scored
enum { REFINE_POINTS = 1024 };  // first points, on which a model is refined
// The score of a sample whose models all score below the floor, and of a sample without a model.
enum { BELOW_FLOOR = -1, NO_MODEL = -2 };
// Largest number of models refined per round: MOST_CANDIDATES for pairs of fewer than FEW_FOR_MOST
// points, else CANDIDATES.
enum { MOST_CANDIDATES = 16, CANDIDATES = 8, FEW_FOR_MOST = 32 };
enum { FEW_INLIERS = 40 };  // with fewer inliers, more samples are drawn
enum { LEAST_ROUND = 64, GROWN_ROUND = 1024, MOST_ROUND = 4096 };  // samples of a round
enum { MOST_SHIFTS = 16, GENERATED_OUTLIERS = 1000 };              // for chance_rate()
