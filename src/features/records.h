// SPDX-License-Identifier: BSD-3-Clause
// Records that the feature kernels exchange with each other and with the host. All members of a
// struct have one width, so that its bytes are the same on the host and on all devices. The file is
// included into namespace bifocal::features (records.hpp), which C++ and CUDA sources use, and into
// OpenCL sources (records.kernels).

// A sample that is an extremum of the differences of Gaussians (SIFT) or a maximum of the
// determinants (SURF) among its neighbours.
typedef struct candidate {
  bits32 image;  // number in the batch
  bits32 where;  // octave and layer (where_of)
  bits32 x, y;   // px of the octave (SIFT) or of the enlarged image (SURF)
} candidate;

// Counts of the candidates of a batch.
typedef struct candidate_count {
  bits32 found;     // may exceed the capacity of the list
  bits32 overflow;  // NO_OVERFLOW, ...
} candidate_count;
// Loss of candidates: none, in a tile of the search, in an earlier band.
enum { NO_OVERFLOW, TILE_OVERFLOW, BAND_OVERFLOW };

// A candidate of SIFT located to fractions of a sample.
typedef struct extremum {
  float x, y;      // px of the octave
  float layer;     // scale index
  float response;  // |DoG| there; negative: no extremum
} extremum;

// A point with its orientation.
typedef struct octave_point {
  float x, y, sigma;  // px of the octave
  float angle;        // degrees
  float response;
  bits32 where;  // SIFT: octave and level (where_of). SURF: 1 if the centre is bright
} octave_point;

// Same bytes as Keypoint and KeypointShape (features.hpp).
typedef struct keypoint {
  float x, y, sigma;  // px of the image
  float angle;        // degrees
  float response;
} keypoint;
typedef struct keypoint_shape {
  float xx, xy, yy;
} keypoint_shape;

// An octave in the pyramid of an image. Rows are numbered in the octave.
typedef struct octave_layout {
  offset first;   // position of row 0 of the first level; negative if that row is not kept
  offset plane;   // floats of a level
  offset stride;  // floats of a row
  offset width, height;
  offset first_tile;            // first tile of the octave in the search
  offset first_kept, end_kept;  // rows in memory
  offset first_own, end_own;    // rows that are searched, described and halved
} octave_layout;

// Neighbourhood of a description (Domain, describe.hpp).
typedef struct description_domain {
  float size;
  float levels_up;
} description_domain;

// Keys by which points are sorted, the strongest first.
typedef struct sort_key {
  bits32 strength;  // bits of a float >= 0
  bits32 point;     // number in the image's list
} sort_key;

// Samples [first, end) of an octave of SURF.
typedef struct sample_range {
  int first_x, end_x, first_y, end_y;
} sample_range;
typedef struct surf_octave_layout {
  int first_tile, tiles_across;
  int first_x, first_y;    // sample at the corner of the first tile
  sample_range layers[2];  // samples in which maxima of layers 1 and 2 are searched
} surf_octave_layout;

// An image in a piece of matching.
typedef struct image_layout {
  offset image;     // position of its feature count among the counts
  offset begin;     // its first feature
  offset capacity;  // limit of its features
  offset place;     // in a pair: its first row or column in the piece
  offset squares;   // its first squared norm in the piece
} image_layout;
// A pair: the first image gives the rows of the distance table, the second the columns.
typedef struct pair_layout {
  image_layout rows, columns;
} pair_layout;

// Same bytes as Match and PointPair.
typedef struct found_match {
  int index1, index2;  // index2 = -1: the row has no match
  int distance;
  float ratio;
} found_match;
typedef struct point_match {
  double x1, y1, x2, y2;
} point_match;

// A MatchGuide.
typedef struct guide_model {
  double is_homography;  // 0: the model is a fundamental matrix
  double model[9];
  double limit;  // square of the largest error, px
} guide_model;
