// SPDX-License-Identifier: BSD-3-Clause
// The terms of the normal equations on a device: linearisation, products with the Schur complement,
// and trials of steps.
#pragma once

#include <bifocal/adjust.hpp>

#include <cstddef>
#include <span>
#include <vector>

#include "adjust/adjust.kernels.hpp"
#include "adjust/observations.hpp"
#include "adjust/priors/device_priors.hpp"
#include "adjust/unknowns.hpp"

namespace bifocal::adjustment {

struct Linearisation {
  double cost = 0, steepest = 0;           // steepest: largest entry of the gradient by points
  std::vector<double> gradient, diagonal;  // of poses and cameras (Unknowns)
};

struct Trial {
  double cost = 0;  // NaN if a point is not seen
  // Of points: decrease of the quadratic model, squared lengths of the step and of the points.
  double decrease = 0, step_length = 0, point_length = 0;
};

class Terms {
 public:
  // Throws Error(usage) if max_memory bytes (0: any) do not suffice.
  Terms(Queue& queue, DeviceObservations& observations, const Unknowns& unknowns,
        const AdjustOptions& options, const Priors& priors);

  // Bytes of the device that the arrays take.
  [[nodiscard]] static std::size_t bytes(const DeviceObservations& observations,
                                         const Unknowns& unknowns, bool float_blocks);
  [[nodiscard]] bool float_blocks() const { return float_blocks_; }

  [[nodiscard]] Linearisation linearise(const Views& views);
  // Inverts the points' blocks with lambda times their diagonal added.
  void damp(double lambda);
  // Lower triangles of the Schur complement's diagonal blocks, [image][TRIANGLE(view_size)]; only
  // the terms of single observations.
  [[nodiscard]] std::vector<double> diagonal_blocks();
  // product: the Schur complement times a vector of unknowns, plus `damping` times the vector. All
  // stay on the device; the queue is not waited for.
  void multiply(const Buffer<double>& vector, const Buffer<double>& damping,
                Buffer<double>& product);
  // E C^-1 g of the points' gradient g.
  [[nodiscard]] std::vector<double> points_gradient();
  // Solves for the points' step that belongs to a step of poses and cameras, and tries both.
  [[nodiscard]] Trial try_step(std::span<const double> step, const Views& moved, double lambda);
  // Keeps the points of the last trial.
  void accept();

  // Arrays of the host, for the dense solver on the CPU.
  [[nodiscard]] const double* blocks_by_point() const;
  [[nodiscard]] const double* inverses() const { return inverses_.data(); }
  [[nodiscard]] const PointRecord* point_data() const {
    return reinterpret_cast<const PointRecord*>(observations_.points.data());
  }
  [[nodiscard]] const PoseRecord* pose_data() const {
    return reinterpret_cast<const PoseRecord*>(scene_.poses.data());
  }

  // Of the last linearise(); empty without priors of poses and cameras.
  [[nodiscard]] const PriorTerms& prior_terms() const { return priors_.terms(); }

  // For solvers with kernels of their own.
  [[nodiscard]] Queue& queue() { return queue_; }
  [[nodiscard]] const kernels::adjust::launch<double>& launch() const { return launch_; }

 private:
  struct Scene {
    Buffer<double> poses, cameras;
  };
  void upload_views(const Views& views, Scene& scene);
  // vector: null for zero.
  void solve_points(const Buffer<double>* vector, double gradient_part);
  void multiply_views(const Buffer<double>* vector);
  void sum_chunks(int components);
  [[nodiscard]] std::vector<double> sum_views(int components);
  [[nodiscard]] double reduce(const Buffer<double>& numbers, bool is_largest = false);

  Queue& queue_;
  DeviceObservations& observations_;
  const Unknowns& unknowns_;
  int point_lanes_, chunk_lanes_, loss_;
  double loss_scale_;
  bool float_blocks_;
  kernels::adjust::launch<double> launch_;
  Buffer<std::uint8_t> point_blocks_, view_blocks_;
  Scene scene_, trial_scene_;
  Buffer<double> moved_, normal_, inverses_, solved_, vector_, sums_, totals_;
  Buffer<double> costs_, decreases_, step_lengths_, point_lengths_, reduced_;
  Buffer<double> is_active_, part_sums_;
  Buffer<int> image_cameras_, first_part_, part_first_, part_images_;
  int parts_;
  DevicePriors priors_;
};

}  // namespace bifocal::adjustment
