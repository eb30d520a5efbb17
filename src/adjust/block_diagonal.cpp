// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/block_diagonal.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/integers.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::adjustment {
namespace {

// A pivot is at least this part of its diagonal: rounding leaves blocks of the Schur complement
// slightly indefinite if a pose is weakly determined.
constexpr double kLeastPivot = 1e-12;

void factorise_small(std::vector<double>& A, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    const double diagonal = A[j * n + j];
    double pivot = diagonal;
    for (std::size_t k = 0; k < j; ++k) pivot -= A[j * n + k] * A[j * n + k];
    A[j * n + j] = std::sqrt(std::max({pivot, kLeastPivot * diagonal, 1e-300}));
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = A[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = sum / A[j * n + j];
    }
  }
}

// Solves L L' x = x.
void solve_small(const std::vector<double>& L, std::size_t n, double* x) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= L[i * n + k] * x[k];
    x[i] /= L[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    x[i] /= L[i * n + i];
    for (std::size_t k = 0; k < i; ++k) x[k] -= L[i * n + k] * x[i];
  }
}

}  // namespace

BlockDiagonal::BlockDiagonal(const Unknowns& unknowns, std::span<const double> triangles,
                             std::span<const double> damping)
    : size_(unknowns.size()), view_size_(at(unknowns.view_size())) {
  const std::size_t triangle = TRIANGLE(at(unknowns.view_size()));
  const std::size_t shared = at(unknowns.images());
  blocks_.resize(shared + at(unknowns.cameras()));
  for (int c = 0; c < unknowns.cameras(); ++c) {
    Block& block = blocks_[shared + at(c)];
    for (int k = 0; k < unknowns.free(); ++k)
      block.unknowns.push_back(unknowns.camera_start(c) + at(k));
    block.factor.assign(at(unknowns.free() * unknowns.free()), 0.0);
  }
  for (int i = 0; i < unknowns.images(); ++i) add_image(unknowns, i, &triangles[at(i) * triangle]);
  for (Block& block : blocks_) {
    // Constant unknowns leave.
    const std::size_t n = block.unknowns.size();
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < n; ++k)
      if (unknowns.is_active()[block.unknowns[k]]) kept.push_back(k);
    Block small;
    for (const std::size_t k : kept) {
      small.unknowns.push_back(block.unknowns[k]);
      for (const std::size_t l : kept) small.factor.push_back(block.factor[k * n + l]);
    }
    block = std::move(small);
  }
  factorise_all(damping);
}

void BlockDiagonal::add_image(const Unknowns& unknowns, int image, const double* triangle) {
  const bool is_joint = unknowns.has_own_camera(image);
  const std::size_t size = is_joint ? at(unknowns.view_size()) : 6;
  const int camera = unknowns.image_cameras()[at(image)];
  Block& block = blocks_[at(image)];
  block.factor.assign(size * size, 0.0);
  for (std::size_t k = 0; k < size; ++k)
    block.unknowns.push_back(k < 6 ? 6 * at(image) + k : unknowns.camera_start(camera) + k - 6);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j) block.factor[i * size + j] = triangle[i * (i + 1) / 2 + j];
  Block& shared = blocks_[at(unknowns.images() + camera)];
  if (is_joint) {
    shared = {};
    return;
  }
  const std::size_t free = at(unknowns.free());
  if (shared.unknowns.empty()) return;
  for (std::size_t i = 0; i < free; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      shared.factor[i * free + j] += triangle[(i + 6) * (i + 7) / 2 + j + 6];
}

void BlockDiagonal::factorise_all(std::span<const double> damping) {
  runtime::parallel_each(
      blocks_.size(),
      [&](std::size_t b) {
        Block& block = blocks_[b];
        const std::size_t n = block.unknowns.size();
        for (std::size_t k = 0; k < n; ++k) block.factor[k * n + k] += damping[block.unknowns[k]];
        factorise_small(block.factor, n);
      },
      64);
}

BlockDiagonal::Inverse BlockDiagonal::inverse() const {
  Inverse out{std::vector<double>(size_ * view_size_, 0.0),
              std::vector<int>(size_ * view_size_, 0)};
  runtime::parallel_each(
      blocks_.size(),
      [&](std::size_t b) {
        const Block& block = blocks_[b];
        const std::size_t n = block.unknowns.size();
        for (std::size_t column = 0; column < n; ++column) {
          double x[18] = {};
          x[column] = 1;
          solve_small(block.factor, n, x);
          for (std::size_t i = 0; i < n; ++i) {
            const std::size_t place = block.unknowns[i] * view_size_ + column;
            out.rows[place] = x[i];
            out.members[place] = static_cast<int>(block.unknowns[column]);
          }
        }
      },
      64);
  return out;
}

}  // namespace bifocal::adjustment
