// SPDX-License-Identifier: BSD-3-Clause
#include "generate/macaulay.hpp"

#include <flint/nmod_mat.h>
#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <numeric>

namespace bifocal::generate {
namespace {

constexpr int kMostColumns = 600;

// Degree, then the last unknown's exponent, the smaller one first: which is larger?
bool grevlex_greater(const Monomial& a, const Monomial& b) {
  if (a[0] != b[0]) return a[0] > b[0];
  const std::size_t n = a.size();
  for (std::size_t k = n; k-- > 0;) {
    const int ea = a[k] - (k + 1 < n ? a[k + 1] : 0), eb = b[k] - (k + 1 < n ? b[k + 1] : 0);
    if (ea != eb) return ea < eb;
  }
  return false;
}

// The monomials that no leading monomial of the eliminated matrix divides.
std::vector<int> standard_monomials(const Problem& problem, const Instance& instance, int degree) {
  const int n = static_cast<int>(problem.unknowns.size());
  const std::vector<Monomial> monomials = monomials_up_to(n, degree);
  std::vector<int> columns(monomials.size());
  std::iota(columns.begin(), columns.end(), 0);
  std::sort(columns.begin(), columns.end(), [&](int a, int b) {
    return grevlex_greater(monomials[static_cast<std::size_t>(a)],
                           monomials[static_cast<std::size_t>(b)]);
  });
  const std::vector<bool> is_pivot = pivots(instance, rows_up_to(problem, degree), columns, n);
  std::vector<int> basis;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Monomial& m = monomials[static_cast<std::size_t>(columns[i])];
    bool standard = !is_pivot[i];
    Monomial rest;
    for (std::size_t j = 0; j < columns.size() && standard; ++j)
      standard = !(is_pivot[j] &&
                   monomial_quotient(m, monomials[static_cast<std::size_t>(columns[j])], rest));
    if (standard) basis.push_back(columns[i]);
  }
  return basis;
}

}  // namespace

std::vector<Row> rows_up_to(const Problem& problem, int degree) {
  std::vector<Row> rows;
  int equation = 0;
  for (const Definition& e : problem.equations) {
    const Shape& shape = e.expression.shape;
    for (int i = 0; i < shape.count(); ++i, ++equation) {
      if (shape.degree > degree) continue;
      for (const Monomial& shift :
           monomials_up_to(static_cast<int>(problem.unknowns.size()), degree - shape.degree))
        rows.push_back({equation, shift});
    }
  }
  return rows;
}

std::vector<bool> pivots(const Instance& instance, const std::vector<Row>& rows,
                         const std::vector<int>& columns, int unknowns) {
  const std::vector<Monomial> monomials = monomials_up_to(unknowns, instance.degree);
  std::vector<int> place(
      static_cast<std::size_t>(1 + *std::max_element(columns.begin(), columns.end())), -1);
  for (std::size_t i = 0; i < columns.size(); ++i)
    place[static_cast<std::size_t>(columns[i])] = static_cast<int>(i);
  nmod_mat_t matrix;
  nmod_mat_init(matrix, static_cast<slong>(rows.size()), static_cast<slong>(columns.size()),
                instance.prime);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Polynomial& p = instance.equations[static_cast<std::size_t>(rows[r].equation)];
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (p[i] == 0) continue;
      const int index = monomial_index(monomial_product(monomials[i], rows[r].shift));
      if (index < static_cast<int>(place.size()) && place[static_cast<std::size_t>(index)] >= 0)
        nmod_mat_entry(matrix, r, place[static_cast<std::size_t>(index)]) = p[i];
    }
  }
  const slong rank = nmod_mat_rref(matrix);
  std::vector<bool> is_pivot(columns.size());
  std::size_t column = 0;
  for (slong r = 0; r < rank; ++r) {
    while (nmod_mat_entry(matrix, r, column) == 0) ++column;
    is_pivot[column++] = true;
  }
  nmod_mat_clear(matrix);
  return is_pivot;
}

Quotient find_quotient(const Problem& problem, const Instance& instance, const std::string& file) {
  const int n = static_cast<int>(problem.unknowns.size());
  std::vector<int> before;
  int degree = problem.degree();
  for (; monomial_count(n, degree + 1) <= kMostColumns; ++degree) {
    std::vector<int> basis = standard_monomials(problem, instance, degree);
    if (basis.empty())
      throw Error(ErrorCode::input, file + ": the equations contradict each other: no solution");
    const int below = monomial_count(n, degree - 1);
    const bool finite = std::all_of(basis.begin(), basis.end(), [&](int m) { return m < below; });
    if (finite && basis == before) return {degree - 1, basis};
    before = finite ? basis : std::vector<int>{};
  }
  std::string text = fmt::format(
      "{}: infinitely many solutions: up to degree {} the equations leave ever more "
      "monomials open.",
      file, degree);
  text +=
      " A set of solutions that no data exclude, such as those with an unknown equal to 0, "
      "has to be removed: saturate by ";
  text += problem.unknowns[0] + "? (add an unknown w and the line 'zero w*" + problem.unknowns[0] +
          " - 1')";
  throw Error(ErrorCode::input, text);
}

}  // namespace bifocal::generate
