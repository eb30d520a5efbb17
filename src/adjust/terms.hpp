// SPDX-License-Identifier: BSD-3-Clause
// The terms of the normal equations on a device: linearisation, products with the Schur complement,
// and trials of steps.
#pragma once

#include <bifocal/adjust.hpp>

#include <cstddef>
#include <span>
#include <vector>

#include "adjust/adjust.kernels.hpp"
#include "adjust/arrangement.hpp"
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
  Terms(Queue& queue, const AdjustProblem& problem, const Arrangement& arrangement,
        const Unknowns& unknowns, const AdjustOptions& options);

  // Bytes of the device that the arrays take.
  [[nodiscard]] static std::size_t bytes(const Arrangement& arrangement, const Unknowns& unknowns,
                                         bool float_blocks);
  [[nodiscard]] bool float_blocks() const { return float_blocks_; }

  [[nodiscard]] Linearisation linearise(const Views& views);
  // Inverts the points' blocks with lambda times their diagonal added.
  void damp(double lambda);
  // Lower triangles of the Schur complement's diagonal blocks, [image][TRIANGLE(view_size)]; only
  // the terms of single observations.
  [[nodiscard]] std::vector<double> diagonal_blocks();
  // The Schur complement times a vector, without the damping of poses and cameras.
  [[nodiscard]] std::vector<double> product(std::span<const double> vector);
  // E C^-1 g of the points' gradient g.
  [[nodiscard]] std::vector<double> points_gradient();
  // Solves for the points' step that belongs to a step of poses and cameras, and tries both.
  [[nodiscard]] Trial try_step(std::span<const double> step, const Views& moved, double lambda);
  // Keeps the points of the last trial.
  void accept();
  // Local coordinates, [lane][POINT_SIZE].
  [[nodiscard]] std::vector<double> points();

  // Arrays of the host, for the dense solver on the CPU.
  [[nodiscard]] const double* blocks_by_point() const;
  [[nodiscard]] const double* inverses() const { return inverses_.data(); }
  [[nodiscard]] const double* point_data() const { return points_.data(); }
  [[nodiscard]] const double* pose_data() const { return scene_.poses.data(); }

 private:
  struct DeviceRows {
    Buffer<int> rows, other;
    Buffer<double> px, py;
    Buffer<std::uint8_t> blocks;
  };
  struct Scene {
    Buffer<double> poses, cameras;
  };
  [[nodiscard]] DeviceRows upload_rows(const Rows& rows);
  void upload_views(const Views& views, Scene& scene);
  void solve_points(std::span<const double> vector, double gradient_part);
  [[nodiscard]] std::vector<double> sum_views(int components);
  [[nodiscard]] double reduce(const Buffer<double>& numbers, bool is_largest = false);

  Queue& queue_;
  const Unknowns& unknowns_;
  int point_lanes_, chunk_lanes_, loss_;
  double loss_scale_;
  bool float_blocks_;
  kernels::adjust::launch<double> launch_;
  DeviceRows by_point_, by_view_;
  Scene scene_, trial_scene_;
  Buffer<double> points_, moved_, is_free_, normal_, inverses_, solved_, vector_, sums_, totals_;
  Buffer<double> costs_, decreases_, step_lengths_, point_lengths_, reduced_;
  Buffer<int> image_cameras_, chunk_images_, first_chunk_, chunk_lane_;
};

}  // namespace bifocal::adjustment
