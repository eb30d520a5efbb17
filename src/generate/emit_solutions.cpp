// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generate/emit.hpp"

namespace bifocal::generate {
namespace {

std::string emit_polish(const Problem& problem, const std::vector<int>& used) {
  const int n = static_cast<int>(problem.unknowns.size()), degree = problem.degree();
  return fmt::format(
      R"(// Four Gauss-Newton steps on the equations C. Returns their largest residual at x beside the largest
// monomial.
lane_fn real {0}_polish(const real* C, real* x) {{
{6}  real m[{1}], d[{2}], worst = lane(0), most = lane(1);
  for (index step = 0; step < 5; ++step) {{
    real A[{3}], g[{4}];
    for (index i = 0; i < {3}; ++i) A[i] = lane(0);
    for (index i = 0; i < {4}; ++i) g[i] = lane(0);
    worst = lane(0);
    {9}_monomials(x, {10}, m, d);
    for (index q = 0; q < {5}; ++q) {{
      real r = lane(0), J[{4}];
      for (index i = 0; i < {4}; ++i) J[i] = lane(0);
      for (index k = 0; k < {7}; ++k) {{
        real c = C[{7} * q + k];
        r += c * m[{8}];
        for (index i = 0; i < {4}; ++i) J[i] += c * d[{1} * i + {8}];
      }}
      worst = fmax(worst, fabs(r));
      for (index i = 0; i < {4}; ++i) {{
        g[i] += J[i] * r;
        for (index j = 0; j <= i; ++j) A[{4} * i + j] += J[i] * J[j];
      }}
    }}
    real size = lane(1), moved = lane(0);
    for (index i = 0; i < {4}; ++i) size += fabs(x[i]);
    if (step == 4) break;
    real sound = ldl_solve(A, g, {4});
    for (index i = 0; i < {4}; ++i) moved += fabs(g[i]);
    mask sane = (sound > lane(0)) & (moved < lane(0.1) * size);
    for (index i = 0; i < {4}; ++i) x[i] -= select(sane, g[i], lane(0));
  }}
  for (index k = 0; k < {7}; ++k) most = fmax(most, fabs(m[{8}]));
  return worst / most;
}}

)",
      problem.name, monomial_count(n, degree), n * monomial_count(n, degree), n * n, n,
      problem.equation_count(), used_table(problem, used), used.size(), used_place(problem, used),
      polynomials_name(n), degree);
}

std::string emit_extraction(const Problem& problem, const Template& t) {
  const std::size_t n = problem.unknowns.size(), size = t.basis.size();
  std::vector<std::size_t> first{0};
  std::vector<int> pairs;
  for (const auto& of_unknown : t.extraction) {
    for (const auto& [m, product] : of_unknown) {
      pairs.push_back(m);
      pairs.push_back(product);
    }
    first.push_back(pairs.size() / 2);
  }
  return fmt::format(
      R"(// The unknowns x [{1}] from an eigenvector b and its eigenvalue. Both m and x_k m are among b and
// value b for several monomials m: the largest of them is what is least disturbed.
lane_fn void {0}_extract(const real* b, real value, real* x) {{
  const index first[{2}] = {{{3}}};
{4}  real e[{5}];
  for (index i = 0; i < {6}; ++i) {{
    e[i] = b[i];
    e[{6} + i] = value * b[i];
  }}
  for (index k = 0; k < {1}; ++k) {{
    real best = lane(0), part = lane(0);
    for (index i = first[k]; i < first[k + 1]; ++i) {{
      real own = e[place[2 * i]];
      mask better = fabs(own) > fabs(best);
      best = select(better, own, best);
      part = select(better, e[place[2 * i + 1]], part);
    }}
    x[k] = part / best;
  }}
}}

)",
      problem.name, n, n + 1, fmt::join(first, ", "), index_table("place", pairs), 2 * size, size);
}

}  // namespace

std::string emit_solutions(const Problem& problem, const Template& t,
                           const std::vector<int>& used) {
  const int n = static_cast<int>(problem.unknowns.size());
  const int size = static_cast<int>(t.basis.size()), rows = static_cast<int>(t.rows.size());
  const int pitch = size % 8 == 0 ? size + 1 : size;  // of lane_pitch() on any device, at most
  const int coefficients = problem.equation_count() * static_cast<int>(used.size());
  return emit_polish(problem, used) + emit_extraction(problem, t) +
         fmt::format(
             R"(// solutions: [{1}][{2}], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real {0}(const real* data, real* solutions) {{
  real C[{3}], M[{4}], A[{5}], K[{6}];  // K: the work space of real_eigenvalues
  real b[{1}], x[{2}], kept = lane(0);
  {0}_coefficients(data, C);
  {0}_template(C, M);
  {0}_eliminate(M);
  {0}_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, {1}, 0, 30, &status);
  for (index i = 0; i < {7}; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {{
    real_eigenvector(A, K, {1}, 0, s, b);
    {0}_extract(b, real_eigenvalue(K, {1}, s), x);
    real residual = {0}_polish(C, x);
    mask valid = (lane_int_of(s) < found) & (residual < sqrt(lane_epsilon()));
    for (index k = 0; k <= s; ++k) {{
      mask here = valid & (kept == lane(k));
      for (index i = 0; i < {2}; ++i)
        solutions[{2} * k + i] = select(here, x[i], solutions[{2} * k + i]);
    }}
    kept += select(valid, lane(1), lane(0));
  }}
  return kept;
}}
)",
             problem.name, size, n, coefficients, rows * (rows + size), size * pitch,
             size * pitch + 6 * size + 3, size * n);
}

}  // namespace bifocal::generate
