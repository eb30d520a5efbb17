// SPDX-License-Identifier: BSD-3-Clause
// The Schur complement as a matrix of the unknowns that are adjusted, on the CPU: dense, or within
// the envelope of its entries.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "adjust/envelope.hpp"
#include "adjust/terms.hpp"

namespace bifocal::adjustment {

class DenseSystem {
 public:
  // is_sparse: images are ordered so that the envelope is narrow. Unknowns of cameras follow. The
  // level of heights has the last row, if there is one.
  DenseSystem(const Arrangement& arrangement, const Unknowns& unknowns, bool is_sparse = false);

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] const Envelope& envelope() const { return envelope_; }
  // Row of an unknown; -1 for a constant one.
  [[nodiscard]] int place(std::size_t unknown) const { return place_[unknown]; }
  // Lower triangle of the matrix, row-major or in the envelope, of terms on the CPU whose blocks
  // are doubles.
  [[nodiscard]] std::vector<double> assemble(const Terms& terms,
                                             std::span<const double> damping) const;
  [[nodiscard]] std::vector<double> reduced(std::span<const double> vector) const;
  [[nodiscard]] std::vector<double> expanded(std::span<const double> vector) const;

  // An observation: its place in the rows by point is row * SLICE + lane % SLICE.
  struct Entry {
    int row, lane;
  };
  // The derivatives of an observation by its view, J [2][view], and G = [2][3] by its point.
  void derivatives(const Terms& terms, Entry entry, double* J, double* G) const;
  // G'J [3][view] of every observation of the rows by point.
  [[nodiscard]] std::vector<double> cross_terms(const Terms& terms) const;
  [[nodiscard]] std::vector<double> camera_sums(const std::vector<double>& cross) const;
  [[nodiscard]] const std::vector<std::vector<Entry>>& entries() const { return entries_; }

 private:
  struct Work;
  void set_envelope(const std::vector<std::vector<int>>& neighbours);
  void add_image(const Work& work, int image) const;
  void add_poses(const Work& work, int image, int other, const double* left,
                 const double* right) const;
  void add_cameras(const Work& work, int image, int other, const double* left,
                   const double* right) const;
  void add_strips(const Work& work) const;
  void add_priors(const PriorTerms& priors, std::vector<double>& matrix) const;

  const Arrangement& arrangement_;
  const Unknowns& unknowns_;
  std::vector<int> place_, view_places_;     // of unknowns; of the unknowns of views
  int size_ = 0, poses_ = 0;                 // numbers of unknowns, and of unknowns of poses
  std::vector<std::vector<Entry>> entries_;  // by image
  Envelope envelope_;                        // of a dense matrix: all columns
};

// Pairs of observations of one point, which are the terms of the matrix.
[[nodiscard]] double observation_pairs(const Arrangement& arrangement);

}  // namespace bifocal::adjustment
