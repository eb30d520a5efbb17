// SPDX-License-Identifier: BSD-3-Clause
// A pair's numbers in memory, as structs with members of one width, which are the same bytes on
// the host and on all devices. Included into namespace bifocal::robust (pair_state.hpp), from which
// the texts of C++ and CUDA have them, and into the text of OpenCL (ransac/shared.lanes).

// There are levels of quality: the best n, n / 2, n / 4, ... matches (quality_iterations.group.h).
enum { QUALITY_LEVELS = 10 };

// A pair before RANSAC: this is made when its points are put in order.
typedef struct pair_info {
  double threshold;  // 1 / threshold^2 in scoring coordinates
  double chance;     // probability that an outlier agrees with a wrong model
  double parallax;   // squared sine of a parallax that noise can make
  double focal[2];   // fx, fy of an absolute pose
  double rays[4];    // factors for x1, y1, x2, y2 from scoring coordinates to rays
  double centre[4];  // origin of the scoring coordinates: x1, y1, x2, y2 or X, Y, Z, where behind
                     // them may be the unit of the image
  double length;     // unit of the scoring coordinates
  double unit;       // px in a unit of the errors
  // These are for matches with weights or qualities. Weights are scaled so that the sum of their
  // squares equals their sum: that many matches of weight 1 tell as much (L. Kish, Survey Sampling,
  // 1965).
  double weighted;      // 1: the weights differ
  double ranked;        // 1: there are qualities
  double effective;     // sum of the weights
  double largest;       // largest weight
  double seen[4];       // sums of the weights of the first 128, 256, 512 and 1024 points
  double log10_alarms;  // log10 of the level of the significance test (RobustOptions::belief)
} pair_info;

// The plane that most inliers of a fundamental matrix lie on (planes.group.h).
typedef struct dominant_plane {
  double is_there;  // 1: most inliers lie on a plane
  double off;       // matches off that plane
  double parallax;  // inliers off that plane
} dominant_plane;

// RANSAC on a pair: its best model and what decides how long it goes on.
typedef struct ransac_state {
  double model[12];      // the best, refined
  double score;          // of that model; 0: there is none yet
  double inliers;        // correct matches, whether inliers or not
  double sample_score;   // of the best model straight from a sample
  double done;           // samples drawn
  double least_inliers;  // the fewest that are significant
  double noise;          // standard deviation of a coordinate about the model
  double narrowed;       // 0, or by what the threshold is multiplied where it is far too wide
  double tested;         // samples until as many inliers would have been found, at most `done`
  double solved;         // 1 when a sample had a solution
  double thorough;       // 1: is_thorough(), after the first round
  double unproven;       // 1: the model will not be believed (where is_thorough())
  dominant_plane plane;
  double rates[QUALITY_LEVELS];  // fraction of correct matches at each level of quality
} ransac_state;

// The support of a model.
typedef struct support_sums {
  double score;    // sum of max(0, 1 - e / threshold^2) of the squared errors e (MSAC)
  double inliers;  // points nearer than the threshold
  double squares;  // sum of their squared errors
  double weight;   // sum of their weights
} support_sums;

// A pair on which RANSAC has ended.
typedef struct ransac_result {
  double model[12];  // in scoring coordinates
  double side[12];   // the side of the scene (support.group.h)
  double noise;      // standard deviation of a coordinate
  support_sums support;
  double chance;      // measured probability that an outlier agrees with the model
  double collinear;   // 1: the inliers lie on a line in one of the images, to within the noise
  double iterations;  // samples drawn
  double tested;      // as in ransac_state
  double outcome;     // FOUND_...
  dominant_plane plane;
  double zero_weight_inliers;  // inliers among the points of weight 0
  double zero_weight_squares;  // sum of their squared errors
  double deviation;            // standard deviation of log f or of the distortion, where sought
} ransac_result;

// How RANSAC ended: no sample had a solution; no model is worth a fit; a fitted model; a rotation
// of the camera that explains what the relative pose does, in the place of the side.
enum { FOUND_NO_SOLUTION, FOUND_NO_FIT, FOUND_MODEL, FOUND_ROTATION };

// The model of a sample after its refinement (decide.group.h).
typedef struct refined_model {
  double model[12], side[12];
  double first_score;  // of the first refinement, over the points that it saw
  support_sums support;
  double is_better;  // 1: than the best before the round
} refined_model;

// The places of a pair's arrays in a batch on a device.
typedef struct pair_place {
  offset first;     // its first point in the caller's array
  offset points;    // number of its points
  offset start;     // begin of its columns; of `points` COLUMNS times that
  offset stride;    // numbers of a column
  offset in_order;  // of the k-th place: the pair that is the k-th to be done
} pair_place;

// The counts that a pair's kernels tell the next ones and the host.
typedef struct pair_work {
  int count;                              // finite points of a weight above 0
  int zero_weight;                        // finite points of weight 0
  int done;                               // samples drawn
  int plan;                               // samples of the next round
  int distinct_inliers, distinct_points;  // different ones, in the image (or scene) that has fewer
} pair_work;

// The columns that are made of a pair's weights and qualities (pair_view.group.h), and the flags of
// which of the two are given.
enum { PRIOR_WEIGHTS, PRIOR_RANKS, PRIOR_CUMULATIVE_WEIGHTS, PRIOR_COLUMNS };
enum { GIVEN_WEIGHTS = 1, GIVEN_QUALITIES = 2 };

// Numbers of a pair's two cameras: fx fy cx cy of each.
enum { CAMERA_NUMBERS = 8 };

enum { FRAME_SUBSET = 128 };    // first points, whose medians make the scoring coordinates
enum { SCORE_POINTS = 1024 };   // first points, on which a model from a sample is scored
enum { REFINE_POINTS = 1024 };  // first points, on which it is refined
// The score of a sample none of whose models scores above the floor, and of one without a model.
enum { BELOW_FLOOR = -1, NO_MODEL = -2 };
// Models of a round that are refined, of pairs of fewer points than FEW_FOR_MOST and of others.
enum { MOST_CANDIDATES = 16, CANDIDATES = 8, FEW_FOR_MOST = 32 };
enum { FEW_INLIERS = 40 };  // with fewer, more samples are drawn
enum { LEAST_ROUND = 64, GROWN_ROUND = 1024, MOST_ROUND = 4096 };  // samples of a round
enum { MOST_SHIFTS = 16, WRONG_MATCHES = 1000 };                   // see chance_rate
