// SPDX-License-Identifier: BSD-3-Clause
#include "robust/directions.hpp"

#include <cmath>

namespace bifocal::robust {
namespace {

Row9 entry(std::size_t k) {
  Row9 row{};
  row[k] = 1;
  return row;
}

// An orthonormal basis of what `given` spans across the rows of `without`, `count` of them as a
// rule: the longest that is left first.
Directions basis(Directions given, Directions without, std::size_t count) {
  Directions found;
  const auto take_away = [](Directions& rows, const Row9& unit) {
    for (Row9& row : rows) {
      const double along = dot(row, unit);
      for (std::size_t i = 0; i < 9; ++i) row[i] -= along * unit[i];
    }
  };
  const auto unit_of = [](Row9 row) {
    const double length = std::sqrt(dot(row, row));
    for (double& v : row) v /= length;
    return row;
  };
  for (std::size_t k = 0; k < without.size(); ++k) {
    const Row9 unit = unit_of(without[k]);
    take_away(without, unit);
    take_away(given, unit);
  }
  while (found.size() < count) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < given.size(); ++k)
      if (dot(given[k], given[k]) > dot(given[best], given[best])) best = k;
    if (!(dot(given[best], given[best]) > 1e-18)) break;
    found.push_back(unit_of(given[best]));
    take_away(given, found.back());
  }
  return found;
}

}  // namespace

// Two unit vectors across a unit vector.
std::array<Vec3, 2> across(const Vec3& v) {
  std::size_t least = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (std::abs(v[k]) < std::abs(v[least])) least = k;
  Vec3 a = axis(least);
  for (std::size_t k = 0; k < 3; ++k) a[k] -= v[least] * v[k];
  const double length = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (double& x : a) x /= length;
  return {a, Vec3{v[1] * a[2] - v[2] * a[1], v[2] * a[0] - v[0] * a[2], v[0] * a[1] - v[1] * a[0]}};
}

// Of a linear kind: its free numbers but for the scale; of F without what changes its rank.
Directions linear_directions(ModelKind kind, const Mat3& m) {
  Directions entries;
  switch (kind) {
    case ModelKind::similarity:
      entries = {
          {1, 0, 0, 0, 1, 0, 0, 0, 0}, {0, -1, 0, 1, 0, 0, 0, 0, 0}, entry(2), entry(5), entry(8)};
      return basis(entries, {m}, 4);
    case ModelKind::affine:
      entries = {entry(0), entry(1), entry(2), entry(3), entry(4), entry(5), entry(8)};
      return basis(entries, {m}, 6);
    default:
      for (std::size_t k = 0; k < 9; ++k) entries.push_back(entry(k));
      if (kind == ModelKind::fundamental) return basis(entries, {m, transposed(adjugate(m))}, 7);
      return basis(entries, {m}, 8);
  }
}

// How E = [t]x R / sqrt 2 moves with (w, u): turns of R about the axes, or about y alone, and two
// steps of t across itself.
Directions motion_directions(const Pose& pose, bool upright) {
  Directions D;
  const Mat3 T = cross_matrix(pose.t);
  const auto add = [&](const Mat3& m) {
    Row9 row = m;
    for (double& v : row) v *= std::sqrt(0.5);
    D.push_back(row);
  };
  for (std::size_t k = upright ? 1 : 0; k < (upright ? 2 : 3); ++k)
    add(times(T, times(cross_matrix(axis(k)), pose.R)));
  for (const Vec3& u : across(pose.t)) add(times(cross_matrix(u), pose.R));
  return D;
}

}  // namespace bifocal::robust
