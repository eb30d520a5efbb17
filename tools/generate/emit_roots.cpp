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

// Returns the column of the template for each monomial index; -1 for monomials without a column.
std::vector<int> columns_by_place(const Template& t, int places) {
  std::vector<int> column(static_cast<std::size_t>(places), -1);
  int next = 0;
  for (const auto* list : {&t.excess, &t.reducible, &t.basis})
    for (const int m : *list) column[static_cast<std::size_t>(m)] = next++;
  return column;
}

// Writes the indices of the monomials that occur, in ascending order; as a loop if all occur.
std::string emit_monomials(const Problem& problem, const std::vector<int>& used) {
  const std::size_t n = used.size();
  if (static_cast<int>(n) !=
      monomial_count(static_cast<int>(problem.unknowns.size()), problem.degree()))
    return index_table("monomials", used);
  return fmt::format(
      "  index monomials[{0}];\n"
      "  for (index i = 0; i < {0}; ++i) monomials[i] = i;\n",
      n);
}

std::string emit_template(const Problem& problem, const Template& t) {
  const int n = static_cast<int>(problem.unknowns.size());
  int degree = problem.degree();
  std::vector<int> equations, shifts;
  for (const Row& row : t.rows) {
    equations.push_back(row.equation);
    shifts.insert(shifts.end(), row.shift.begin(), row.shift.end());
    degree = std::max(degree, problem.degree() + row.shift[0]);
  }
  while (monomial_count(n, degree) <= largest(t)) ++degree;
  const std::vector<Monomial> monomials = monomials_up_to(n, degree);
  std::string text = "  // The template's columns are\n";
  if (!t.excess.empty()) text += "  //   " + names_of(problem, t.excess, monomials) + " (excess)\n";
  text += "  //   " + names_of(problem, t.reducible, monomials) + " (to reduce)\n";
  text += "  //   " + names_of(problem, t.basis, monomials) + " (basis).\n";
  return text + index_table("column", columns_by_place(t, monomial_count(n, degree))) +
         index_table("equation", equations) + index_table("shift", shifts);
}

std::string emit_action(const Template& t) {
  std::vector<int> image;
  for (const int m : t.image) {
    const auto in_basis = std::find(t.basis.begin(), t.basis.end(), m);
    const auto reduced = std::find(t.reducible.begin(), t.reducible.end(), m);
    image.push_back(in_basis != t.basis.end()
                        ? static_cast<int>(t.rows.size() + (in_basis - t.basis.begin()))
                        : static_cast<int>(t.excess.size() + (reduced - t.reducible.begin())));
  }
  return index_table("image", image);
}

// Writes the basis in chains m, a m, a^2 m, ... of the action a. Each chain ends with an element
// whose image is a reducible monomial. Writes the lengths of the chains, in the order of the
// reducible monomials, and their elements.
std::string emit_chains(const Template& t) {
  std::vector<int> lengths, elements;
  for (const int reducible : t.reducible) {
    std::vector<int> chain;
    for (auto at = std::find(t.image.begin(), t.image.end(), reducible); at != t.image.end();
         at = std::find(t.image.begin(), t.image.end(),
                        t.basis[static_cast<std::size_t>(chain.back())]))
      chain.push_back(static_cast<int>(at - t.image.begin()));
    lengths.push_back(static_cast<int>(chain.size()));
    elements.insert(elements.end(), chain.rbegin(), chain.rend());
  }
  return index_table("length", lengths) + index_table("element", elements);
}

std::string emit_extraction(const Template& t) {
  std::vector<int> pairs, first{0};
  for (const auto& of_unknown : t.extraction) {
    for (const auto& [m, product] : of_unknown) {
      pairs.push_back(m);
      pairs.push_back(product);
    }
    first.push_back(static_cast<int>(pairs.size() / 2));
  }
  return index_table("first", first) + index_table("pairs", pairs);
}

}  // namespace

std::string emit_roots(const Problem& problem, const Template& t, const std::vector<int>& used) {
  const int n = static_cast<int>(problem.unknowns.size()), equations = problem.equation_count();
  const int size = static_cast<int>(t.basis.size()), rows = static_cast<int>(t.rows.size());
  const int pitch = size % 8 == 0 ? size + 1 : size;  // upper bound of lane_pitch() on any device
  const int occur = static_cast<int>(used.size()), all = monomial_count(n, problem.degree());
  std::string text = fmt::format(
      "// roots: [{}][{}], the unknowns of each; unused slots NaN. Returns their number.\n"
      "lane_fn real {}_roots(const real* data, real* roots) {{\n",
      size, n, problem.name);
  text += emit_monomials(problem, used) + emit_template(problem, t);
  text += emit_action(t) + emit_extraction(t);
  if (problem.hidden_vectors) text += emit_chains(t);
  text += fmt::format(
      "  const elimination_template t = {{.unknowns = {}, .degree = {}, .equations = {}, .used = "
      "{}, "
      ".rows = {}, .reducible = {}, .basis = {}, .monomials = monomials, .equation = equation, "
      ".shift = shift, .column = column, .image = image, .first = first, .pairs = pairs}};\n",
      n, problem.degree(), equations, occur, rows, t.reducible.size(), size);
  if (problem.hidden_vectors)
    text += "  const template_chains chains = {.of = &t, .length = length, .element = element};\n";
  return text + fmt::format(
                    "  real D[{}], C[{}], M[{}], A[{}], K[{}], work[{}];\n"
                    "  {}_equations(data, D);\n"
                    "  return template_roots{}, D, C, M, A, K, work, roots);\n}}\n",
                    equations * all, equations * occur, rows * (rows + size), size * pitch,
                    size * pitch + 6 * size + 3,
                    size + std::max((n + 1) * occur, static_cast<int>(t.reducible.size())),
                    problem.name, problem.hidden_vectors ? "_hidden(&chains" : "(&t");
}

}  // namespace bifocal::generate
