// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "generate/emit.hpp"

namespace bifocal::generate {
namespace {

std::string names_of(const Problem& problem, const std::vector<int>& columns,
                     const std::vector<Monomial>& monomials) {
  std::vector<std::string> names;
  for (const int c : columns) {
    const Monomial& m = monomials[static_cast<std::size_t>(c)];
    std::string name;
    for (std::size_t k = 0; k < m.size(); ++k) {
      const int exponent = m[k] - (k + 1 < m.size() ? m[k + 1] : 0);
      for (int i = 0; i < exponent; ++i) name += problem.unknowns[k];
    }
    names.push_back(name.empty() ? "1" : name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

int largest(const Template& t) {
  int most = 0;
  for (const auto* list : {&t.excess, &t.reducible, &t.basis})
    for (const int m : *list) most = std::max(most, m);
  return most;
}

// The columns of the template by the place of their monomial: -1 where it has none.
std::vector<int> columns_by_place(const Template& t, int places) {
  std::vector<int> column(static_cast<std::size_t>(places), -1);
  int next = 0;
  for (const auto* list : {&t.excess, &t.reducible, &t.basis})
    for (const int m : *list) column[static_cast<std::size_t>(m)] = next++;
  return column;
}

// For each monomial up to the degree of the equations its place among the used ones, or -1.
std::vector<int> slots(const Problem& problem, const std::vector<int>& used) {
  const int n = static_cast<int>(problem.unknowns.size());
  std::vector<int> slot(static_cast<std::size_t>(monomial_count(n, problem.degree())), -1);
  for (std::size_t k = 0; k < used.size(); ++k)
    slot[static_cast<std::size_t>(used[k])] = static_cast<int>(k);
  return slot;
}

std::string emit_template(const Problem& problem, const Template& t, const std::vector<int>& used) {
  const int n = static_cast<int>(problem.unknowns.size());
  int degree = problem.degree();
  std::vector<int> equations, shifts;
  for (const Row& row : t.rows) {
    equations.push_back(row.equation);
    shifts.insert(shifts.end(), row.shift.begin(), row.shift.end());
    degree = std::max(degree, problem.degree() + row.shift[0]);
  }
  while (monomial_count(n, degree) <= largest(t)) ++degree;
  std::string sums;
  for (int k = 1; k <= n; ++k)
    sums += fmt::format("{}t{} + shift[{} * i + {}]", k > 1 ? ", " : "", k, n, k - 1);
  const std::vector<Monomial> monomials = monomials_up_to(n, degree);
  const std::size_t rows = t.rows.size(), columns = rows + t.basis.size();
  std::string text =
      "// The template M: an equation times a monomial in each row, whose columns are\n";
  if (!t.excess.empty()) text += "//   " + names_of(problem, t.excess, monomials) + " (excess)\n";
  text += "//   " + names_of(problem, t.reducible, monomials) + " (to reduce)\n";
  text += "//   " + names_of(problem, t.basis, monomials) + " (basis).\n";
  text += fmt::format("lane_fn void {}_template(const real* C, real* M) {{\n", problem.name);
  text += index_table("column", columns_by_place(t, monomial_count(n, degree)));
  text += index_table("equation", equations) + index_table("shift", shifts);
  const bool dense = is_dense(problem, used);
  if (!dense) text += index_table("slot", slots(problem, used));
  text += fmt::format(R"(  {4}_clear(M, {0});
  for (index i = 0; i < {1}; ++i) {{
    index p = 0;
    {3} {{
      const index to = column[{4}_place({5})], from = {7};
      if ({8}to >= 0) M[{6} * i + to] = C[{2} * equation[i] + from];
    }}
  }}
}}

)",
                      rows * columns, rows, used.size(),
                      monomial_loops(n, "t", std::to_string(problem.degree()), "    "),
                      polynomials_name(n), sums, columns, dense ? "p++" : "slot[p++]",
                      dense ? "" : "from >= 0 && ");
  return text;
}

std::string emit_reduction(const Problem& problem, const Template& t) {
  const std::size_t rows = t.rows.size(), columns = rows + t.basis.size();
  return fmt::format(
      R"(// Eliminates the first {1} columns of M [{1}][{2}] with partial pivoting. The last {3} rows then
// express the monomials to reduce by the basis.
lane_fn void {0}_eliminate(real* M) {{
  for (index k = 0; k < {1}; ++k) {{
    real head = M[{4} * k], largest = fabs(head), factor[{1}];
    mask is_pivot[{1}];
    for (index i = k + 1; i < {1}; ++i) largest = fmax(largest, fabs(M[{2} * i + k]));
    // Row k changes places with the first row that has the largest element.
    mask searching = !(fabs(head) >= largest);
    real pivot = head;
    for (index i = k + 1; i < {1}; ++i) {{
      factor[i] = M[{2} * i + k];
      is_pivot[i] = searching & (fabs(factor[i]) >= largest);
      searching = searching & !is_pivot[i];
      pivot = select(is_pivot[i], factor[i], pivot);
      factor[i] = select(is_pivot[i], head, factor[i]);
    }}
    real inverse = lane(1) / pivot;
    for (index j = k + 1; j < {2}; ++j) {{
      real own = M[{2} * k + j], chosen = own;
      for (index i = k + 1; i < {1}; ++i) chosen = select(is_pivot[i], M[{2} * i + j], chosen);
      chosen = chosen * inverse;
      for (index i = k + 1; i < {1}; ++i)
        M[{2} * i + j] = select(is_pivot[i], own, M[{2} * i + j]) - factor[i] * chosen;
      M[{2} * k + j] = chosen;
    }}
  }}
  for (index k = {5}; k > {6}; --k) {{
    for (index i = {6}; i < k; ++i) {{
      real factor = M[{2} * i + k];
      for (index j = {1}; j < {2}; ++j) M[{2} * i + j] -= factor * M[{2} * k + j];
    }}
  }}
}}

)",
      problem.name, rows, columns, t.reducible.size(), columns + 1, rows - 1,
      rows - t.reducible.size());
}

std::string emit_action(const Problem& problem, const Template& t) {
  std::vector<int> image;
  for (const int m : t.image) {
    const auto in_basis = std::find(t.basis.begin(), t.basis.end(), m);
    const auto reduced = std::find(t.reducible.begin(), t.reducible.end(), m);
    image.push_back(in_basis != t.basis.end()
                        ? static_cast<int>(t.rows.size() + (in_basis - t.basis.begin()))
                        : static_cast<int>(t.excess.size() + (reduced - t.reducible.begin())));
  }
  const std::size_t rows = t.rows.size(), size = t.basis.size();
  return fmt::format(
             "// A [{0}][{0}]: {1} b = A b for the basis b at every solution.\n"
             "lane_fn void {2}_action(const real* M, lane_array A) {{\n"
             "  const index pitch = lane_pitch({0});\n",
             size, action_name(problem, t), problem.name) +
         "  // The column of each element's image: of a monomial to reduce, or of the basis.\n" +
         index_table("image", image) +
         fmt::format(R"(  for (index i = 0; i < {0}; ++i) {{
    for (index j = 0; j < {0}; ++j) {{
      if (image[i] < {1})
        lane_at(A, pitch * i + j) = -M[{2} * image[i] + {1} + j];
      else
        lane_at(A, pitch * i + j) = lane(image[i] == {1} + j ? 1 : 0);
    }}
  }}
}}

)",
                     size, rows, rows + size);
}

}  // namespace

std::string emit_elimination(const Problem& problem, const Template& t,
                             const std::vector<int>& used) {
  return emit_template(problem, t, used) + emit_reduction(problem, t) + emit_action(problem, t);
}

}  // namespace bifocal::generate
