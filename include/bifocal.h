/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C interface of Bifocal: photographs to features, matches, two-view geometry, sparse models and
 * depth. C99, also valid C++. docs/c.md has an example and a table of the functions.
 *
 * Rules for all functions:
 *
 * Errors. A function returns BF_OK or another bf_code, and bf_error() describes the failure. No
 *   exception leaves a function. A failed function sets its output handle to NULL and leaves output
 *   structs as they are. Degenerate geometry is no failure but a result with a reason.
 * Ownership. The caller frees a handle with the function bf_..._free of its type; NULL is allowed.
 *   Text and arrays in the struct that describes a handle belong to the handle, and are valid until
 *   it is freed. Inputs are copied or used during the call only.
 * Structs. Every struct begins with `size`, which the caller sets to sizeof of the struct before
 *   the call. Later versions append members. Set the other members of inputs to 0 or a value.
 *   bf_array has no size and never changes.
 * Unknown values. An unknown number is NaN, an unknown text "", an unknown array has data NULL.
 * Text is UTF-8 and ends with 0. Pixels: (0, 0) is the centre of the top-left pixel, x points to
 *   the right, y down. Matrices are row-major.
 * Threads. Functions may run at the same time on different threads. A queue, and options while they
 *   are changed, are for one thread at a time; other handles may be read by several threads.
 */
#ifndef BIFOCAL_H
#define BIFOCAL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BF_API __attribute__((visibility("default")))
#else
#define BF_API
#endif

/* Version of this interface. A larger minor number: functions or members were added. Another major
 * number, which the shared library has in its name: something was removed or changed. */
#define BF_INTERFACE_MAJOR 1
#define BF_INTERFACE_MINOR 0

#ifdef __cplusplus
extern "C" {
#endif

enum bf_code {
  BF_OK = 0,
  BF_USAGE = 2,     /* an argument or option is out of its range, or a file exists already */
  BF_INPUT = 3,     /* a file is missing, damaged or cannot be written */
  BF_DEVICE = 4,    /* a device does not exist or failed */
  BF_CANCELLED = 6, /* by a callback */
  BF_MEMORY = 7,    /* the host's memory does not suffice */
  BF_INTERNAL = 8   /* an error of Bifocal */
};
/* Types of the numbers of an array. */
enum bf_type { BF_U8 = 1, BF_U16, BF_I32, BF_U32, BF_I64, BF_U64, BF_F32, BF_F64 };
enum bf_place { BF_HOST = 0, BF_CUDA = 1 }; /* memory of an array; BF_CUDA: of the queue's device */

/* Rows of numbers: a list of points [rows, columns], or an image [height, width, channels]. Numbers
 * of one row have no gaps. Arrays are in host memory unless a function allows BF_CUDA. */
typedef struct bf_array {
  const void* data; /* NULL: no array */
  int64_t rows;
  int64_t stride;   /* bytes from row to row; 0: rows have no gaps */
  int32_t columns;  /* width of an image */
  int32_t channels; /* 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA; 0 and 1 for other arrays */
  int32_t type;     /* bf_type */
  int32_t place;    /* bf_place */
} bf_array;

/* Returns the name of the release, such as "0.1.0". */
BF_API const char* bf_version(void);
/* Returns 1000 BF_INTERFACE_MAJOR + BF_INTERFACE_MINOR of the library that is loaded. */
BF_API int bf_interface_version(void);
/* Returns the message of the last function that failed on this thread: file or argument, value and
 * reason. Valid until another function fails on this thread. "" before the first failure. */
BF_API const char* bf_error(void);
/* Limits all calls of the process to this number of threads; 0: all cores. No other call may run.
 * BF_USAGE for a negative number. */
BF_API int bf_set_threads(int threads);

/* Devices ------------------------------------------------------------------------------------- */
typedef struct bf_device_info {
  size_t size;
  const char* id; /* "cpu", "cuda:0", "opencl:1"; these texts live as long as the process */
  const char* name;
  const char* driver;
  int64_t memory; /* bytes; 0 if the device does not report it */
  int32_t cores;  /* hardware threads of a CPU, compute units of a GPU */
  int32_t is_gpu;
} bf_device_info;

/* Counts the devices that this build can use. The CPU is device 0. */
BF_API int bf_device_count(int64_t* count);
/* Describes a device. BF_USAGE for an index out of range. */
BF_API int bf_device_get(int64_t index, bf_device_info* out);

/* A queue of work on one or several devices. */
typedef struct bf_queue bf_queue;
typedef struct bf_queue_info {
  size_t size;
  const char* devices; /* ids, separated by commas */
  const char* warning; /* why "auto" is the CPU instead of a GPU that fails, or "" */
} bf_queue_info;

/* Opens a queue. devices: an id; "cuda:all" or a list "cuda:0,cuda:1", which bf_collect() uses
 * together, other functions the first one; or "auto", the first GPU that works, otherwise the CPU.
 * BF_DEVICE if a device is missing, BF_USAGE for a wrong list. */
BF_API int bf_queue_open(const char* devices, bf_queue** out);
BF_API int bf_queue_get(const bf_queue* queue, bf_queue_info* out);
/* Waits for the work of the queue and frees it. */
BF_API void bf_queue_free(bf_queue* queue);

/* Options ------------------------------------------------------------------------------------- */
/* State of a running call. */
typedef struct bf_progress {
  size_t size;
  const char* stage;   /* "features", "matches", ...; valid during the callback */
  const char* unit;    /* of `done` and `total`: "photographs", "pairs", "images", "%" */
  int64_t done, total; /* total 0: unknown */
} bf_progress;

/* Functions that a call calls, one at a time and on any thread. NULL: none. They must not throw.
 * Calls on arrays (bf_detect, bf_match, bf_estimate) ask is_cancelled alone. */
typedef struct bf_callbacks {
  size_t size;
  void* user; /* given to the functions */
  /* As work advances. A result other than 0 cancels the call. */
  int (*progress)(void* user, const bf_progress* progress);
  /* About every 20 ms on the thread of the call. A result other than 0 cancels the call. */
  int (*is_cancelled)(void* user);
  /* For each remark on a result: a photograph that is left out, a doubted model. */
  void (*note)(void* user, const char* text);
} bf_callbacks;

/* Options and callbacks of a call. NULL instead of this handle stands for the defaults. */
typedef struct bf_options bf_options;
typedef struct bf_option_info {
  size_t size;
  const char* name;  /* "max_features"; members of a nested struct as "sift.max_features" */
  const char* help;  /* half a sentence */
  const char* range; /* such as "0.8 to 8" or "auto, single or each"; "": any value */
  const char* unit;  /* "px", "bytes", or "" */
  const char* value; /* present value, in the form of bf_options_set() */
} bf_option_info;

/* Makes options with their defaults. call: "sift" or "surf" for bf_detect(), "match", "estimate",
 * "pair", "collect", "map", "adjust" or "dense". BF_USAGE for another word. */
BF_API int bf_options_create(const char* call, bf_options** out);
/* Sets an option. value: a number, "true" or "false", a word, a path, numbers "1,2,3" for a list,
 * "fx,fy,cx,cy" in px for a camera, "4G" for bytes, "" for an optional value that is not set.
 * BF_USAGE for an unknown name, and for a value that cannot be read or is out of its range; the
 * option keeps its value. */
BF_API int bf_options_set(bf_options* options, const char* name, const char* value);
/* Counts the options. */
BF_API int bf_options_count(const bf_options* options, int64_t* count);
/* Describes an option. Its text is valid until the options are described again, set or freed.
 * BF_USAGE for an index out of range. */
BF_API int bf_options_get(bf_options* options, int64_t index, bf_option_info* out);
/* Sets the callbacks of calls with these options. NULL removes them. */
BF_API int bf_options_set_callbacks(bf_options* options, const bf_callbacks* callbacks);
BF_API void bf_options_free(bf_options* options);

/* Images, features, matches ------------------------------------------------------------------- */
typedef struct bf_image bf_image;
typedef struct bf_image_info {
  size_t size;
  bf_array pixels;       /* BF_U8 or BF_U16 [height, width, 1 to 4], upright */
  double fx, fy, cx, cy; /* intrinsics of EXIF, px; NaN: unknown */
} bf_image_info;

/* Reads a photograph: JPEG, PNG, PGM, PPM, BMP, and TIFF and WebP if the build has them. The image
 * is rotated upright by EXIF. BF_INPUT if the file cannot be read. */
BF_API int bf_image_read(const char* file, bf_image** out);
BF_API int bf_image_get(const bf_image* image, bf_image_info* out);
BF_API void bf_image_free(bf_image* image);

typedef struct bf_features bf_features;
typedef struct bf_features_info {
  size_t size;
  bf_array keypoints;   /* BF_F32 [N, 5]: x, y, sigma (px), angle (degrees), response */
  bf_array descriptors; /* BF_U8 [N, 128] */
  bf_array shapes;      /* BF_F32 [N, 3]: xx, xy, yy of an affine shape; with affine_shape */
} bf_features_info;

/* Detects features. image: as bf_image_info::pixels. mask: BF_U8 [height, width], no features
 * where it is 0; or NULL. options: "sift" (also NULL) or "surf". BF_USAGE for an unusable image. */
BF_API int bf_detect(bf_queue* queue, const bf_array* image, const bf_array* mask,
                     const bf_options* options, bf_features** out);
/* Makes features from existing ones. keypoints: BF_F32 [N, 2 to 5], missing columns are 0.
 * descriptors: BF_U8 [N, 128]. */
BF_API int bf_features_create(const bf_array* keypoints, const bf_array* descriptors,
                              bf_features** out);
BF_API int bf_features_get(const bf_features* features, bf_features_info* out);
BF_API void bf_features_free(bf_features* features);

typedef struct bf_matches bf_matches;
typedef struct bf_matches_info {
  size_t size;
  bf_array indexes;   /* BF_I32 [N, 2]: features of the first and of the second image */
  bf_array distances; /* BF_I32 [N, 1]: squared Euclidean distance of the descriptors */
  bf_array ratios;    /* BF_F32 [N, 1]: nearest over second nearest distance */
  bf_array points;    /* BF_F64 [N, 4]: x1, y1, x2, y2, px */
} bf_matches_info;

/* Matches the descriptors of two images, ordered by the first index. options: "match". */
BF_API int bf_match(bf_queue* queue, const bf_features* features1, const bf_features* features2,
                    const bf_options* options, bf_matches** out);
BF_API int bf_matches_get(const bf_matches* matches, bf_matches_info* out);
BF_API void bf_matches_free(bf_matches* matches);

/* Robust estimation --------------------------------------------------------------------------- */
/* Input of an estimation. bf_estimate_batch() takes arrays of BF_CUDA, too, except for `offsets`
 * and cameras; these have no gaps between rows. */
typedef struct bf_estimate_input {
  size_t size;
  /* "homography", "fundamental", "essential", "absolute_pose" or another problem of docs/robust.md;
   * bf_estimate() also "auto": homography, or the essential matrix with two cameras, otherwise the
   * fundamental matrix. */
  const char* kind;
  bf_array points;    /* BF_F64 [N, 4]: x1, y1, x2, y2, px; [N, 5]: x, y, px, and X, Y, Z for
                         absolute poses; [N, 6]: x1, y1, x2, y2, depth1, depth2 */
  bf_array cameras1;  /* BF_F64 [1, 4]: fx, fy, cx, cy, px, of the first or the only camera; a
                         batch also [pairs, 4] */
  bf_array cameras2;  /* of the second camera */
  bf_array weights;   /* BF_F64 [N, 1], at least 0, or none */
  bf_array qualities; /* BF_F64 [N, 1]: larger is more likely correct, or none */
  bf_array offsets;   /* BF_I64 [pairs + 1, 1], of a batch: pair k has the points from offset k to
                         offset k + 1 */
} bf_estimate_input;

typedef struct bf_estimates bf_estimates; /* of one pair or of a batch */
typedef struct bf_estimate_info {
  size_t size;
  const char* kind;
  const char* outcome; /* "ok", "too_few_points", "no_model", "not_significant",
                          "degenerate_sample", "rotation_only" */
  const char* reason;  /* the outcome as a sentence, or the reason of the kind of "auto" */
  double model[9];     /* H or F for px, E for rays, |model| = 1; NaN without a model */
  double R[9], t[3];   /* x2 = R x1 + t with |t| = 1, or t = 0 for a rotation; absolute pose:
                          camera from world; NaN without a pose */
  double focal_length, focal_deviation; /* px, of kinds that estimate it */
  double distortion;                    /* of kinds that estimate it */
  double rms;                           /* px, of the inliers */
  double noise;                         /* px, standard deviation of correct points */
  int64_t num_inliers;
  int64_t iterations;
  bf_array inliers; /* BF_U8 [N, 1]: 1 or 0 */
} bf_estimate_info;

/* Estimates the geometry of one pair. options: "estimate". BF_USAGE for a problem that does not
 * take these points or cameras. */
BF_API int bf_estimate(bf_queue* queue, const bf_estimate_input* input, const bf_options* options,
                       bf_estimates** out);
/* Estimates the geometry of many pairs in one call. */
BF_API int bf_estimate_batch(bf_queue* queue, const bf_estimate_input* input,
                             const bf_options* options, bf_estimates** out);
/* Counts the pairs. */
BF_API int bf_estimates_count(const bf_estimates* estimates, int64_t* count);
/* Describes the estimate of a pair. BF_USAGE for an index out of range. */
BF_API int bf_estimates_get(const bf_estimates* estimates, int64_t index, bf_estimate_info* out);
BF_API void bf_estimates_free(bf_estimates* estimates);

/* Two photographs ----------------------------------------------------------------------------- */
typedef struct bf_pair bf_pair;
typedef struct bf_pair_info {
  size_t size;
  const char* kind;    /* "homography", "fundamental", "essential", "radial_fundamental" */
  const char* outcome; /* as in bf_estimate_info */
  const char* reason;  /* of the choice of the model, or of its absence */
  const char* doubt;   /* why cameras or model may be wrong, or "" */
  double model[9];
  double R[9], t[3]; /* camera 2 from camera 1, |t| = 1; NaN: unknown */
  double rotation_deviation, direction_deviation; /* of R and t, degrees */
  double focal_length, focal_deviation;           /* px, estimated from the matches */
  double median_parallax;                         /* degrees */
  double rms;                                     /* px */
  int64_t num_inliers;
  bf_array points;       /* BF_F64 [N, 4]: matches, px */
  bf_array inliers;      /* BF_U8 [N, 1] */
  bf_array triangulated; /* BF_F64 [N, 3], in the frame of camera 1 and the unit of t; NaN */
  bf_array depth;        /* BF_F32 [h, w] of the first photograph, in the unit of t; NaN: unknown */
  bf_array cloud;        /* BF_F32 [M, 3], in the frame of camera 1 */
  bf_array cloud_colours; /* BF_U8 [M, 3] */
} bf_pair_info;

/* Estimates the geometry of two photographs: features, matches, model, pose and depth.
 *
 * kind: "auto", "homography", "fundamental" or "essential". folder: gets the files of `bifocal
 * pair`, such as report.html, geometry.json and cloud.ply; NULL: no files. options: "pair". Cameras
 * come from the options camera1 and camera2, otherwise from EXIF. BF_INPUT if a photograph cannot
 * be read, BF_USAGE if a file of the folder would be replaced and `overwrite` is false. */
BF_API int bf_pair_photographs(bf_queue* queue, const char* file1, const char* file2,
                               const char* kind, const char* folder, const bf_options* options,
                               bf_pair** out);
BF_API int bf_pair_get(const bf_pair* pair, bf_pair_info* out);
BF_API void bf_pair_free(bf_pair* pair);

/* Folders of photographs ---------------------------------------------------------------------- */
typedef struct bf_collect_result {
  size_t size;
  int64_t images, features;
  int64_t left_out;                 /* photographs that could not be read */
  int64_t pairs, matched, verified; /* selected; with enough matches; with a geometry */
  int32_t is_resumed;               /* an interrupted run was resumed */
  int32_t was_complete; /* the database existed already, with these photographs and options */
} bf_collect_result;

/* Matches photographs into a COLMAP database, or resumes an interrupted run. paths: files and
 * folders. options: "collect". result: may be NULL. BF_USAGE if another database exists and
 * `overwrite` is false. */
BF_API int bf_collect(bf_queue* queue, const char* const* paths, size_t path_count,
                      const char* database, const bf_options* options, bf_collect_result* result);

typedef struct bf_map_result {
  size_t size;
  int64_t models;                       /* that were found; written to FOLDER/0, FOLDER/1, ... */
  int64_t doubted;                      /* models with a doubt; notes have the reasons */
  int64_t written;                      /* fewer than `models` with the option `strict` */
  int64_t images, points, observations; /* of the largest model */
  int64_t left_out;                     /* images in no model */
  double mean_error; /* px, of the observations of the largest model; NaN without one */
} bf_map_result;

/* Makes sparse models from a COLMAP database and writes them into a folder. photographs: folder for
 * the colours of points, or NULL. options: "map". result: may be NULL. BF_USAGE if a model of the
 * folder would be replaced and `overwrite` is false. No model is a result, not a failure. */
BF_API int bf_map(bf_queue* queue, const char* database, const char* photographs,
                  const char* folder, const bf_options* options, bf_map_result* result);

typedef struct bf_adjust_result {
  size_t size;
  int64_t cameras, images, points; /* with used observations */
  int32_t iterations;
  int32_t is_converged;
  double initial_rms, final_rms; /* px */
} bf_adjust_result;

/* Adjusts the model in a folder and writes it into another one. options: "adjust". result: may be
 * NULL. BF_USAGE if a model in `out` would be replaced and `overwrite` is false. */
BF_API int bf_adjust(bf_queue* queue, const char* model, const char* out, const bf_options* options,
                     bf_adjust_result* result);

typedef struct bf_dense_result {
  size_t size;
  int64_t images, with_depth;
  int64_t points;  /* of the cloud */
  int64_t resumed; /* images that an interrupted run had matched */
} bf_dense_result;

/* Computes depth maps of the images of a model and a cloud, OUT/fused.ply. photographs: folder of
 * the images. options: "dense". result: may be NULL. BF_USAGE as in bf_adjust(). */
BF_API int bf_dense(bf_queue* queue, const char* model, const char* photographs, const char* out,
                    const bf_options* options, bf_dense_result* result);

/* Models of COLMAP ---------------------------------------------------------------------------- */
typedef struct bf_model bf_model;
typedef struct bf_model_info {
  size_t size;
  int64_t cameras, images, points;
  bf_array point_ids; /* BF_U64 [points, 1] */
  bf_array xyz;       /* BF_F64 [points, 3] */
  bf_array colours;   /* BF_U8 [points, 3] */
  bf_array errors;    /* BF_F64 [points, 1]: mean reprojection error, px; NaN: unknown */
} bf_model_info;
typedef struct bf_camera_info {
  size_t size;
  int64_t id;
  const char* model; /* "PINHOLE", "SIMPLE_RADIAL", ... */
  int64_t width, height;
  bf_array params; /* BF_F64 [P, 1], in COLMAP's order; cx, cy in the pixels of this header */
} bf_camera_info;
typedef struct bf_model_image_info {
  size_t size;
  int64_t id;
  const char* name;
  int64_t camera_id;
  double R[9], t[3];     /* camera from world */
  bf_array observations; /* BF_F64 [N, 2], px */
  bf_array point_ids;    /* BF_U64 [N, 1]; UINT64_MAX: no point */
} bf_model_image_info;

/* Reads the model of a folder, binary or text. BF_INPUT if it is missing or damaged. */
BF_API int bf_model_read(const char* folder, bf_model** out);
BF_API int bf_model_get(const bf_model* model, bf_model_info* out);
/* Describe a camera, an image, and the track of a point: BF_U32 [N, 2], id of the image and index
 * of the observation. BF_USAGE for an index out of range. */
BF_API int bf_model_camera(const bf_model* model, int64_t index, bf_camera_info* out);
BF_API int bf_model_image(const bf_model* model, int64_t index, bf_model_image_info* out);
BF_API int bf_model_track(const bf_model* model, int64_t index, bf_array* out);
/* Writes a model. format: "binary" or "text". BF_USAGE if the folder has a model and `overwrite` is
 * 0. */
BF_API int bf_model_write(const bf_model* model, const char* folder, const char* format,
                          int overwrite);
BF_API void bf_model_free(bf_model* model);

#ifdef __cplusplus
}
#endif

#endif
