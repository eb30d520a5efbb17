// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/dense_system.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "adjust/layout.hpp"
#include "adjust/reduced_solver.hpp"
#include "runtime/integers.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::adjustment {
namespace {

constexpr int kMostView = VIEW_SIZE(12);
constexpr std::size_t kLanesOfThread = 512;

// C u of a symmetric C: xx xy xz yy yz zz.
void symmetric_times(const double* C, const double* u, double* out) {
  out[0] = C[0] * u[0] + C[1] * u[1] + C[2] * u[2];
  out[1] = C[1] * u[0] + C[3] * u[1] + C[4] * u[2];
  out[2] = C[2] * u[0] + C[4] * u[1] + C[5] * u[2];
}
std::size_t row_place(DenseSystem::Entry e) { return at(e.row) * SLICE + at(e.lane % SLICE); }

// Calls body(image) for every observation of the entry's point.
template <class Body>
void each_image(const Rows& rows, DenseSystem::Entry entry, const Body& body) {
  const int slice = entry.lane / SLICE;
  for (int row = rows.rows[at(slice)]; row < rows.rows[at(slice) + 1]; ++row) {
    const std::size_t place = row_place({row, entry.lane});
    if (rows.px[place] == rows.px[place]) body(rows.other[place], place);
  }
}

// Images that share a point with each image.
std::vector<std::vector<int>> neighbours_of_images(
    const Arrangement& arrangement, const std::vector<std::vector<DenseSystem::Entry>>& entries) {
  std::vector<std::vector<int>> out(entries.size());
  std::vector<std::size_t> found_by(entries.size(), entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i)
    for (const DenseSystem::Entry entry : entries[i])
      each_image(arrangement.by_point, entry, [&](int j, std::size_t) {
        if (at(j) == i || found_by[at(j)] == i) return;
        found_by[at(j)] = i;
        out[i].push_back(j);
      });
  return out;
}

}  // namespace

// Input and output of assembly. sums: of the cross terms of the camera over the observations of
// each point, [3][view], if there is one camera. strips: sums of the camera rows of an image that
// shares its camera, [free] [columns of cameras].
struct DenseSystem::Work {
  const Terms& terms;
  const std::vector<double>& cross;
  const std::vector<double>& sums;
  std::vector<double>& matrix;
  std::vector<std::vector<double>>& strips;
};

DenseSystem::DenseSystem(const Arrangement& arrangement, const Unknowns& unknowns, bool is_sparse)
    : arrangement_(arrangement), unknowns_(unknowns), entries_(at(unknowns.images())) {
  const Rows& rows = arrangement.by_point;
  for (int lane = 0; lane < rows.lanes; ++lane)
    for (int row = rows.rows[at(lane / SLICE)]; row < rows.rows[at(lane / SLICE) + 1]; ++row) {
      const std::size_t place = row_place({row, lane});
      if (rows.px[place] == rows.px[place]) entries_[at(rows.other[place])].push_back({row, lane});
    }
  std::vector<std::vector<int>> neighbours;
  if (is_sparse) neighbours = neighbours_of_images(arrangement, entries_);
  std::vector<int> order(at(unknowns.images()));
  std::iota(order.begin(), order.end(), 0);
  if (is_sparse) order = narrow_order(neighbours);
  place_.assign(unknowns.size(), -1);
  const auto number = [&](std::size_t unknown) {
    if (unknowns.is_active()[unknown]) place_[unknown] = size_++;
  };
  for (const int image : order)
    for (std::size_t k = 0; k < 6; ++k) number(6 * at(image) + k);
  poses_ = size_;
  for (std::size_t i = 6 * order.size(); i < unknowns.size(); ++i) number(i);
  size_ += unknowns.has_level() ? 1 : 0;
  for (int i = 0; i < unknowns.images(); ++i)
    for (int k = 0; k < unknowns.view_size(); ++k) {
      const std::size_t camera = unknowns.camera_start(unknowns.image_cameras()[at(i)]);
      view_places_.push_back(place_[k < 6 ? 6 * at(i) + at(k) : camera + at(k - 6)]);
    }
  set_envelope(neighbours);
}

// Without neighbours every row has all columns.
void DenseSystem::set_envelope(const std::vector<std::vector<int>>& neighbours) {
  const std::size_t n = at(size_);
  std::vector<std::size_t> first(n, 0), end(n, n);
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const int own = place_[6 * i];
    if (own < 0) continue;
    int least = own;
    for (const int j : neighbours[i])
      if (const int other = place_[6 * at(j)]; other >= 0) least = std::min(least, other);
    for (std::size_t k = 0; k < 6; ++k)
      first[at(own) + k] = at(least), end[at(own) + k] = at(own) + 6;
  }
  for (std::size_t i = 0; i < n; ++i) envelope_.add_row(first[i], end[i]);
}

void DenseSystem::derivatives(const Terms& terms, Entry entry, double* J, double* G) const {
  const int free = unknowns_.free(), view = unknowns_.view_size();
  const double* const block = terms.blocks_by_point() +
                              at(entry.row) * SLICE * at(BLOCK_SIZE(free)) + at(entry.lane % SLICE);
  for (int k = 0; k < 6; ++k) G[k] = block[k * SLICE];
  const int image = arrangement_.by_point.other[row_place(entry)];
  const Vec3 &X = terms.point_data()[entry.lane].X, &centre = terms.pose_data()[image].centre;
  const Vec3 offset = {X[0] - centre[0], X[1] - centre[1], X[2] - centre[2]};
  for (int i = 0; i < 2; ++i) {
    const Vec3 by_rotation = cross(offset, Vec3{G[3 * i], G[3 * i + 1], G[3 * i + 2]});
    for (int k = 0; k < 3; ++k) J[i * view + k] = by_rotation[at(k)];
    for (int k = 0; k < 3; ++k) J[i * view + 3 + k] = -G[3 * i + k];
    for (int k = 0; k < free; ++k) J[i * view + 6 + k] = block[(6 + i * free + k) * SLICE];
  }
}

std::vector<double> DenseSystem::cross_terms(const Terms& terms) const {
  const std::size_t view = at(unknowns_.view_size());
  std::vector<double> cross(arrangement_.by_point.px.size() * view * 3, 0.0);
  runtime::parallel_each(entries_.size(), [&](std::size_t image) {
    double J[2 * kMostView], G[6];
    for (const Entry entry : entries_[image]) {
      derivatives(terms, entry, J, G);
      double* const out = &cross[row_place(entry) * view * 3];
      for (std::size_t i = 0; i < view; ++i)
        for (std::size_t k = 0; k < 3; ++k)
          out[k * view + i] = J[i] * G[k] + J[view + i] * G[3 + k];
    }
  });
  return cross;
}

std::vector<double> DenseSystem::camera_sums(const std::vector<double>& cross) const {
  const std::size_t view = at(unknowns_.view_size());
  const Rows& rows = arrangement_.by_point;
  if (unknowns_.cameras() != 1 || view == 6) return {};
  std::vector<double> sums(at(rows.lanes) * view * 3, 0.0);
  runtime::parallel_each(
      at(rows.lanes),
      [&](std::size_t lane) {
        const Entry first = {rows.rows[lane / SLICE], static_cast<int>(lane)};
        each_image(rows, first, [&](int, std::size_t place) {
          for (std::size_t i = 0; i < 3 * view; ++i)
            sums[lane * view * 3 + i] += cross[place * view * 3 + i];
        });
      },
      kLanesOfThread);
  return sums;
}

// Adds the product of an image's derivatives with another image's, left [view][3] times right
// [view][3] transposed, to the rows of the image's pose. Every number of the matrix is added to by
// one image alone.
void DenseSystem::add_poses(const Work& work, int image, int other, const double* left,
                            const double* right) const {
  const int view = unknowns_.view_size();
  const auto row_of = [&](int row) { return work.matrix.data() + envelope_.origin[at(row)]; };
  const int* const rows = &view_places_[at(image * view)];
  const int* const columns = &view_places_[at(other * view)];
  // The numbers of a pose are neighbours. Numbers above the diagonal are not read.
  if (rows[0] >= 0 && columns[0] >= 0 && columns[0] <= rows[0])
    for (int i = 0; i < 6; ++i) {
      double* const to = row_of(rows[i]) + columns[0];
      const double a = left[3 * i], b = left[3 * i + 1], c = left[3 * i + 2];
      const double *const y = right + view, *const z = y + view;
      for (int j = 0; j < 6; ++j) to[j] += a * right[j] + b * y[j] + c * z[j];
    }
}

// As add_poses(), to the columns of the image's pose and to the rows of its camera.
void DenseSystem::add_cameras(const Work& work, int image, int other, const double* left,
                              const double* right) const {
  const int view = unknowns_.view_size();
  if (view == 6) return;
  const std::size_t cameras = at(size_ - poses_);
  const auto row_of = [&](int row) { return work.matrix.data() + envelope_.origin[at(row)]; };
  const int* const rows = &view_places_[at(image * view)];
  const int* const columns = &view_places_[at(other * view)];
  std::vector<double>& strip = work.strips[at(image)];
  const auto product = [&](int i, int j) {
    return left[3 * i] * right[j] + left[3 * i + 1] * right[view + j] +
           left[3 * i + 2] * right[2 * view + j];
  };
  for (int j = 6; j < view; ++j) {
    if (columns[j] < 0) continue;
    for (int i = 0; i < 6 && rows[0] >= 0; ++i) row_of(columns[j])[rows[i]] += product(i, j);
    for (int i = 6; i < view; ++i) {
      if (rows[i] < 0) continue;
      if (!strip.empty())
        strip[at(i - 6) * cameras + at(columns[j] - poses_)] += product(i, j);
      else if (columns[j] <= rows[i])
        row_of(rows[i])[columns[j]] += product(i, j);
    }
  }
}

void DenseSystem::add_image(const Work& work, int image) const {
  const int view = unknowns_.view_size();
  if (unknowns_.free() > 0 && !unknowns_.has_own_camera(image))
    work.strips[at(image)].assign(at(unknowns_.free()) * at(size_ - poses_), 0.0);
  double J[2 * kMostView], G[6], solved[3 * kMostView];
  for (const Entry entry : entries_[at(image)]) {
    derivatives(work.terms, entry, J, G);
    double by_row[3 * kMostView] = {}, by_column[3 * kMostView] = {};
    for (int i = 0; i < 2 * view; ++i) by_column[i] = by_row[3 * (i % view) + i / view] = J[i];
    add_poses(work, image, image, by_row, by_column);
    add_cameras(work, image, image, by_row, by_column);
    const double* const C = work.terms.inverses() + at(entry.lane) * INVERSE_SIZE;
    const double* const own = &work.cross[row_place(entry) * at(3 * view)];
    for (int i = 0; i < view; ++i) {
      const double u[] = {-own[i], -own[view + i], -own[2 * view + i]};
      symmetric_times(C, u, solved + 3 * i);
    }
    each_image(arrangement_.by_point, entry, [&](int other, std::size_t place) {
      add_poses(work, image, other, solved, &work.cross[place * at(3 * view)]);
      if (work.sums.empty())
        add_cameras(work, image, other, solved, &work.cross[place * at(3 * view)]);
    });
    if (!work.sums.empty())
      add_cameras(work, image, image, solved, &work.sums[at(entry.lane) * at(3 * view)]);
  }
}

// Adds the strips of images to the rows of their cameras, in the order of images.
void DenseSystem::add_strips(const Work& work) const {
  const std::size_t columns = at(size_ - poses_);
  for (std::size_t i = 0; i < work.strips.size(); ++i) {
    if (work.strips[i].empty()) continue;
    const std::size_t camera = unknowns_.camera_start(unknowns_.image_cameras()[i]);
    for (std::size_t k = 0; k < at(unknowns_.free()); ++k) {
      const int row = place_[camera + k];
      if (row < 0) continue;
      double* const to = work.matrix.data() + envelope_.origin[at(row)] + poses_;
      for (std::size_t c = 0; c < columns && at(poses_) + c <= at(row); ++c)
        to[c] += work.strips[i][k * columns + c];
    }
  }
}

// Adds B to the diagonal blocks. The level's row is [-v' 1]: its elimination leaves B - v v'.
void DenseSystem::add_priors(const PriorTerms& priors, std::vector<double>& matrix) const {
  if (priors.rows.empty()) return;
  const auto number = [&](int row, int column) -> double& {
    return matrix[static_cast<std::size_t>(envelope_.origin[at(row)] + column)];
  };
  for (std::size_t i = 0; i < place_.size(); ++i) {
    if (place_[i] < 0) continue;
    const std::size_t before = i < unknowns_.camera_start(0) ? i % 3 : 0;
    for (std::size_t k = 0; k <= before; ++k)
      number(place_[i], place_[i - before + k]) += priors.rows[3 * i + k];
    if (!priors.level.empty()) number(size_ - 1, place_[i]) -= priors.level[i];
  }
  if (!priors.level.empty()) number(size_ - 1, size_ - 1) = 1;
}

std::vector<double> DenseSystem::assemble(const Terms& terms,
                                          std::span<const double> damping) const {
  std::vector<double> matrix(envelope_.entries, 0.0);
  std::vector<std::vector<double>> strips(at(unknowns_.images()));
  const std::vector<double> cross = cross_terms(terms);
  const std::vector<double> sums = camera_sums(cross);
  const Work work{terms, cross, sums, matrix, strips};
  runtime::parallel_for(unknowns_.images(), [&](int image) { add_image(work, image); });
  add_strips(work);
  add_priors(terms.prior_terms(), matrix);
  for (std::size_t i = 0; i < place_.size(); ++i)
    if (place_[i] >= 0)
      matrix[static_cast<std::size_t>(envelope_.origin[at(place_[i])] + place_[i])] += damping[i];
  return matrix;
}

std::vector<double> DenseSystem::reduced(std::span<const double> vector) const {
  std::vector<double> out(at(size_));
  for (std::size_t i = 0; i < place_.size(); ++i)
    if (place_[i] >= 0) out[at(place_[i])] = vector[i];
  return out;
}

std::vector<double> DenseSystem::expanded(std::span<const double> vector) const {
  std::vector<double> out(place_.size(), 0.0);
  for (std::size_t i = 0; i < place_.size(); ++i)
    if (place_[i] >= 0) out[i] = vector[at(place_[i])];
  return out;
}

double observation_pairs(const Arrangement& arrangement) {
  const Rows& rows = arrangement.by_point;
  double total = 0;
  for (int lane = 0; lane < rows.lanes; ++lane) {
    double count = 0;
    each_image(rows, {rows.rows[at(lane / SLICE)], lane}, [&](int, std::size_t) { ++count; });
    total += count * count;
  }
  return total;
}

namespace {

class DirectSolver final : public ReducedSolver {
 public:
  DirectSolver(const Arrangement& arrangement, const Unknowns& unknowns, bool is_sparse)
      : system_(arrangement, unknowns, is_sparse), is_sparse_(is_sparse) {}

  // Sparse problems are chains of images, which bend far at little cost. Damping prevents that.
  [[nodiscard]] double first_lambda() const override {
    return is_sparse_ ? 1e-7 : ReducedSolver::first_lambda();
  }
  [[nodiscard]] const Envelope& envelope() const { return system_.envelope(); }

  ReducedStep solve(Terms& terms, const Linearisation& linearisation, double,
                    const std::vector<double>& damping) override {
    std::vector<double> matrix = system_.assemble(terms, damping);
    if (!factorise(matrix, envelope())) return {};
    std::vector<double> x = system_.reduced(reduced_right_side(terms, linearisation));
    solve_factorised(matrix, envelope(), x);
    return {.step = system_.expanded(x), .residual = {}, .iterations = 0, .is_solved = true};
  }

 private:
  DenseSystem system_;
  bool is_sparse_;
};

}  // namespace

std::unique_ptr<ReducedSolver> make_dense_solver(const Arrangement& arrangement,
                                                 const Unknowns& unknowns) {
  return std::make_unique<DirectSolver>(arrangement, unknowns, false);
}

std::unique_ptr<ReducedSolver> make_sparse_solver(const Arrangement& arrangement,
                                                  const Unknowns& unknowns,
                                                  const SparseLimits& limits) {
  auto solver = std::make_unique<DirectSolver>(arrangement, unknowns, true);
  const Envelope& envelope = solver->envelope();
  if (static_cast<double>(envelope.entries) > limits.entries ||
      envelope.operations() > limits.operations)
    return nullptr;
  return solver;
}

}  // namespace bifocal::adjustment
