// SPDX-License-Identifier: BSD-3-Clause
// Bundle adjustment: camera poses, intrinsics and scene points that minimise reprojection errors.
//
//   AdjustProblem problem;
//   problem.cameras = {{.model = "SIMPLE_RADIAL", .params = {f, cx, cy, 0}}};
//   problem.images = {{.cam_from_world = pose0, .camera = 0}, {.cam_from_world = pose1}};
//   problem.points = points;                                  // world units
//   problem.observations = {{.image = 0, .point = 0, .x = 512.5, .y = 300.25}, ...};
//   const AdjustResult result = adjust(problem, {.loss = AdjustLoss::soft_l1});
//
// The solver is Levenberg-Marquardt. Points are eliminated by the Schur complement. The reduced
// system is solved by preconditioned conjugate gradients without being formed, or by a Cholesky
// factorisation, dense or within the envelope of its entries.
//   B. Triggs, P. McLauchlan, R. Hartley, A. Fitzgibbon, Bundle adjustment - a modern synthesis,
//   Vision Algorithms 1999;  S. Agarwal, N. Snavely, S. Seitz, R. Szeliski, Bundle adjustment in
//   the large, ECCV 2010;  C. Wu, S. Agarwal, B. Curless, S. Seitz, Multicore bundle adjustment,
//   CVPR 2011;  S. Weber, N. Demmel, T. Chan, D. Cremers, Power bundle adjustment for large-scale
//   3D reconstruction, CVPR 2023.
//
// Sums are taken in a fixed order: results have the same bytes in every run and for any number of
// threads on one kind of device.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/device.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/geometry.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal {

// Intrinsics of one camera, which several images may share.
struct AdjustCamera {
  std::string model;           // COLMAP's name of a model that LensCamera has (camera.hpp)
  std::vector<double> params;  // in the model's order, px; (0, 0) is the centre of the first pixel
  // Parameters that are not adjusted, one flag a parameter. Empty: the principal point is constant,
  // the other parameters are adjusted.
  std::vector<bool> constant_params = {};
  bool is_constant = false;  // no parameter is adjusted
};
// Copies model and parameters. The model is FULL_OPENCV if the camera has no model name.
[[nodiscard]] AdjustCamera adjust_camera_of(const LensCamera& camera);

struct AdjustImage {
  Pose cam_from_world;  // X_camera = R X + t, world units
  int camera = 0;       // index into AdjustProblem::cameras
  bool is_constant = false;
};

// Point `point` is seen at (x, y) px in image `image`.
struct AdjustObservation {
  int image = 0, point = 0;
  double x = 0, y = 0;
};

// Cost of one observation with error e px: scale^2 rho(e^2 / scale^2) / 2. Of one prior: the same
// of its residual in standard deviations, times AdjustOptions::deviation_px^2.
enum class AdjustLoss {
  trivial,  // rho(s) = s: least squares
  huber,    // s up to 1, then 2 sqrt(s) - 1
  soft_l1,  // 2 (sqrt(1 + s) - 1)
  cauchy,   // log(1 + s)
};
inline constexpr std::string_view kAdjustLossWords[] = {"trivial", "huber", "soft_l1", "cauchy"};

// Loss of all priors of one kind.
struct PriorLoss {
  AdjustLoss loss = AdjustLoss::trivial;
  double scale = 1;  // standard deviations, as AdjustOptions::loss_scale is of px
};
// Measured centre of a camera: residual L^-1 (C - centre) with covariance = L L'.
struct PositionPrior {
  int image = 0;
  Vec3 centre = {0, 0, 0};  // world units
  Mat3 covariance{};        // world units squared, symmetric and positive definite
};
// A direction of the world that was measured in the axes of a camera, as gravity: residual
// (R world - camera) / deviation of vectors of length 1, which is the chord of their angle.
struct DirectionPrior {
  int image = 0;
  Vec3 world = {0, 0, -1}, camera = {0, 1, 0};  // of any length
  double deviation = 0;                         // of the angle in any plane, rad, positive
};
// Measured rotation of a camera: residual e_k / deviations_k of the rotation vector e of
// cam_from_world.R R', in the axes of the camera.
struct OrientationPrior {
  int image = 0;
  Mat3 R = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // cam_from_world
  Vec3 deviations = {0, 0, 0};           // about the axes of the camera, rad, positive
};
// Measured position of a point, as of a control point: residual L^-1 (X - position).
struct PointPrior {
  int point = 0;
  Vec3 position = {0, 0, 0};  // world units
  Mat3 covariance{};          // world units squared, symmetric and positive definite
};
// Measured height of a camera above a level that all heights share: residual
// (up . C - height - level) / deviation. The level is unknown and minimises the cost of the heights
// for any centres.
struct HeightPrior {
  int image = 0;
  double height = 0, deviation = 0;  // world units; the deviation is positive
};
// Known value of an intrinsic parameter: residual (params[param] - value) / deviation.
struct ParameterPrior {
  int camera = 0, param = 0;        // index into AdjustCamera::params
  double value = 0, deviation = 0;  // in the unit of the parameter; the deviation is positive
};

// Measurements in addition to the observations. Their costs are added to the costs of the
// observations: deviation_px^2 scale^2 rho(r'r / scale^2) / 2 of each residual r in standard
// deviations, where deviation_px is the standard deviation of an observation (AdjustOptions).
//
// Rules:
//   - Several priors of one image, point or parameter count as independent measurements.
//   - Priors of images and cameras without used observations, and of points without any, have no
//     effect. A point with a prior is used even if one image alone sees it.
//   - Heights determine neither the level nor, if all are alike, the scale: they need positions,
//     control points or constants.
//   - The start should be near the priors: align a model by a similarity first.
//   - An index out of range, a number that is not finite, a deviation that is not positive, a
//     covariance that is not symmetric and positive definite, a direction of length 0, a matrix R
//     that is no rotation (rotation_fault()) and a scale that is not positive throw Error(usage)
//     that names index and value.
struct AdjustPriors {
  std::vector<PositionPrior> positions = {};
  std::vector<DirectionPrior> directions = {};
  std::vector<OrientationPrior> orientations = {};
  std::vector<PointPrior> points = {};
  std::vector<HeightPrior> heights = {};
  std::vector<ParameterPrior> parameters = {};
  PriorLoss position_loss = {}, direction_loss = {}, orientation_loss = {}, point_loss = {},
            height_loss = {}, parameter_loss = {};
  Vec3 up = {0, 0, 1};  // of heights, in the world, of any length

  [[nodiscard]] bool empty() const {
    return positions.empty() && directions.empty() && orientations.empty() && points.empty() &&
           heights.empty() && parameters.empty();
  }
};

// Input and output of adjust(). Indices start at 0.
//
// Rules for unusual input:
//   - An index out of range, a model that LensCamera lacks, a wrong number of parameters, a focal
//     length that is not positive, a pose or parameter that is not finite and a matrix R that is no
//     rotation to 1e-6 throw Error(usage) that names index and value.
//   - An observation with NaN or infinity, or of a point with NaN or infinity, is left out.
//   - An observation whose point is not in front of its camera at the start, or beyond the range of
//     the lens model, is left out. A step that would take a point behind a camera is shortened.
//   - A point that is adjusted, has no prior and is seen by fewer than two images keeps its
//     coordinates; its observations are left out.
//   - An image or camera without remaining observations keeps its values.
//   - Parts of a model that share no points are adjusted together, each with its own gauge.
//   - The unit of the world and its origin have no influence but rounding.
//   - No images, points or observations: the result has cost 0 and reason `nothing_to_adjust`.
// AdjustResult::uses says which observations were left out.
struct AdjustProblem {
  std::vector<AdjustCamera> cameras;
  std::vector<AdjustImage> images;
  std::vector<Vec3> points;                     // world units
  std::vector<AdjustObservation> observations;  // in any order
  std::vector<bool> constant_points = {};       // one flag a point; empty: none is constant
  AdjustPriors priors = {};
};

enum class AdjustSolver {
  automatic,  // dense for at most 600 parameters of poses and cameras, sparse on the CPU if images
              // share points with few others, else iterative
  dense,      // Cholesky factorisation of the reduced system, on the CPU
  sparse,     // as dense, without the zeros outside the envelope of the system
  iterative,  // conjugate gradients on the implicit Schur complement, on any device
};
inline constexpr std::string_view kAdjustSolverWords[] = {"auto", "dense", "sparse", "iterative"};

enum class AdjustPreconditioner {
  schur_jacobi,  // diagonal blocks of the Schur complement
  power_series,  // its inverse by a series of 4 terms
};
inline constexpr std::string_view kAdjustPreconditionerWords[] = {"schur_jacobi", "power_series"};

// Choice of the degrees of freedom that neither observations nor constants nor priors determine:
// position, rotation and scale of each part.
enum class AdjustGauge {
  start,  // each part is moved, rotated and scaled back at the end as far as it is free: its first
          // adjusted image keeps its pose, and the centre of its farthest image its distance.
          //   constants                        what keeps its value
          //   images at one place              the distance of the farthest image from the place
          //   one point                        the rotation of the first image, the distance of the
          //                                    farthest image from the point
          //   several points on one line       the rotation of the first image about the line
          //   anything else                    nothing is free
  free,   // as the solver leaves it, near the start
};
inline constexpr std::string_view kAdjustGaugeWords[] = {"start", "free"};

// State after one iteration. Gradient and step are those of coordinates in which the scene has an
// extent of 4 to 8 and is near the origin.
struct AdjustIteration {
  int iteration = 0;         // 0: the start
  double cost = 0;           // of the best model so far, px^2
  double trial_cost = 0;     // of this iteration's step; infinite if it was no model
  double gradient = 0;       // largest entry of the gradient
  double step = 0;           // length of the step, relative to the length of all parameters
  double damping = 0;        // Levenberg-Marquardt's lambda
  int cg_iterations = 0;     // of this iteration; 0 for the direct solvers
  bool is_accepted = false;  // the step was taken
  double seconds = 0;        // since the call
};

struct AdjustOptions {
  int max_iterations = 100;
  AdjustLoss loss = AdjustLoss::trivial;
  double loss_scale = 1;
  double function_tolerance = 1e-6;
  double gradient_tolerance = 1e-10;
  double parameter_tolerance = 1e-8;
  AdjustSolver solver = AdjustSolver::automatic;
  AdjustPreconditioner preconditioner = AdjustPreconditioner::schur_jacobi;
  int max_cg_iterations = 500;
  double cg_tolerance = 0.01;
  bool float_blocks = false;
  AdjustGauge gauge = AdjustGauge::start;
  bool covariance = false;
  double deviation_px = 1;
  std::int64_t max_memory = 0;
  // Called after the start and after every iteration, on the thread of the call. False ends the
  // adjustment with the best model so far.
  std::function<bool(const AdjustIteration&)> progress = {};
};
constexpr const char* name_of(const AdjustOptions&) { return "AdjustOptions"; }
template <MaybeConst<AdjustOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_iterations, loss, loss_scale, function_tolerance, gradient_tolerance,
         parameter_tolerance, solver, preconditioner, max_cg_iterations, cg_tolerance, float_blocks,
         gauge, covariance, deviation_px, max_memory, progress] = options;
  BIFOCAL_FIELD(max_iterations, "most steps that are tried", Range::within(0, 100000));
  BIFOCAL_FIELD(loss, "cost of an error", Range::one_of(kAdjustLossWords));
  BIFOCAL_FIELD(loss_scale, "error at which a robust loss leaves least squares",
                Range::above(0).finite(), "px");
  BIFOCAL_FIELD(function_tolerance, "stops when a step reduces the cost by a smaller part",
                Range::at_least(0).finite());
  BIFOCAL_FIELD(gradient_tolerance, "stops when no entry of the gradient is larger",
                Range::at_least(0).finite());
  BIFOCAL_FIELD(parameter_tolerance, "stops when a step is shorter, relative to the parameters",
                Range::at_least(0).finite());
  BIFOCAL_FIELD(solver,
                "solver of the reduced system; auto: dense for small problems, sparse for long "
                "chains of images",
                Range::one_of(kAdjustSolverWords));
  BIFOCAL_FIELD(preconditioner, "preconditioner of conjugate gradients",
                Range::one_of(kAdjustPreconditionerWords));
  BIFOCAL_FIELD(max_cg_iterations, "most conjugate gradient iterations of a step",
                Range::within(1, 100000));
  BIFOCAL_FIELD(cg_tolerance, "a step's system is solved to about this relative accuracy",
                Range::within(1e-15, 0.9));
  BIFOCAL_FIELD(float_blocks,
                "keeps derivatives in single precision: half the memory; residuals and decisions "
                "stay in double");
  BIFOCAL_FIELD(gauge, "position, orientation and scale of the result",
                Range::one_of(kAdjustGaugeWords));
  BIFOCAL_FIELD(covariance, "computes covariances; needs the memory of the dense solver");
  BIFOCAL_FIELD(deviation_px,
                "standard deviation of an observation in x and in y; weighs observations against "
                "priors and scales covariances",
                Range::above(0).finite(), "px");
  BIFOCAL_FIELD(max_memory, "most memory of the device that the adjustment takes; 0: any",
                Range::at_least(0), "bytes");
  BIFOCAL_FIELD(progress, "called after every iteration");
}

enum class AdjustReason {
  nothing_to_adjust,    // no observation was left, or everything is constant
  function_tolerance,   // converged
  gradient_tolerance,   // converged
  parameter_tolerance,  // converged
  no_progress,          // no step reduces the cost any more
  max_iterations,
  stopped,  // by AdjustOptions::progress
};
[[nodiscard]] std::string_view to_string(AdjustReason reason);

enum class ObservationUse : std::uint8_t {
  used,
  not_finite,   // the observation or its point is not finite
  behind,       // at the start the point was not in front of the camera
  single_view,  // of a point that fewer than two images see
};

// Sums over the parts of a model of the degrees of freedom that neither observations nor constants
// nor priors determine, so that the start does.
struct AdjustFreedom {
  int position = 0, rotation = 0, scale = 0;  // at most 3, 3 and 1 of a part

  [[nodiscard]] int total() const { return position + rotation + scale; }
};

// Residuals of priors in standard deviations, in the order of AdjustPriors. NaN: the prior has no
// effect, because its image, point or camera has no used observations.
struct PriorResiduals {
  std::vector<double> positions, directions, orientations, points;  // lengths of vectors
  std::vector<double> heights, parameters;                          // value minus prior, signed
  double level = 0;                                                 // of the heights, world units
};

struct AdjustResult {
  double initial_cost = 0, final_cost = 0;  // sum over the used observations and priors, px^2
  double prior_cost = 0;                    // the part of final_cost that priors have, px^2
  PriorResiduals prior_residuals;           // at the end
  int iterations = 0;                       // steps that were tried
  AdjustReason reason = AdjustReason::nothing_to_adjust;
  std::vector<AdjustIteration> history;  // from the start on
  std::vector<ObservationUse> uses;      // one an observation
  std::array<std::int64_t, 4> counts{};  // observations by ObservationUse
  int parts = 0;                         // of the model that share no point
  AdjustFreedom freedom;
  bool is_dense = false;   // the dense solver was used
  bool is_sparse = false;  // the sparse solver was used

  // With AdjustOptions::covariance, in world units, for observations with a standard deviation of
  // deviation_px (AdjustOptions) in x and y and priors with their own. Multiply by 2 final_cost /
  // (redundancy deviation_px^2) for the deviations that the residuals show. Robust losses count by
  // their weights at the end. The gauge of AdjustGauge::start is fixed. Zero for what is constant
  // or has no observations. Empty if the observations do not determine an image or a camera.
  std::vector<std::array<double, 36>> pose_covariances;  // rotation (camera axes, rad), centre
  std::vector<std::array<double, 9>> point_covariances;  // X, Y, Z
  std::vector<std::vector<double>> camera_covariances;   // params x params
  // 2 used observations + numbers of the priors that act (3 of a position, a point or an
  // orientation, 2 of a direction, 1 of a height or a parameter, less 1 for the level) - parameters
  // + freedom.total()
  std::int64_t redundancy = 0;
  // Index of an image or a camera that is not determined; -1: none.
  int undetermined_image = -1, undetermined_camera = -1;

  [[nodiscard]] bool is_converged() const {
    return reason == AdjustReason::function_tolerance ||
           reason == AdjustReason::gradient_tolerance ||
           reason == AdjustReason::parameter_tolerance || reason == AdjustReason::no_progress;
  }
};

// Adjusts the problem in place.
//
// The problem is changed only when the call returns: a call that throws leaves it as it was.
// Throws Error(usage) for invalid input (AdjustProblem), an option out of range or if max_memory is
// too small, Error(device) if memory does not suffice, and Cancelled.
[[nodiscard]] AdjustResult adjust(Queue& queue, AdjustProblem& problem,
                                  const AdjustOptions& options = {});
// On the CPU.
[[nodiscard]] AdjustResult adjust(AdjustProblem& problem, const AdjustOptions& options = {});

// Sum of the costs of all observations and priors that adjust() would use, px^2.
[[nodiscard]] double adjust_cost(const AdjustProblem& problem, const AdjustOptions& options = {});

}  // namespace bifocal
