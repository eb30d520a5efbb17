// SPDX-License-Identifier: BSD-3-Clause
#include "generate/template.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>

namespace bifocal::generate {
namespace {

constexpr int kOrders = 8;  // random orders of pruning for each action

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::vector<int> joined(std::vector<int> a, const std::vector<int>& b, const std::vector<int>& c) {
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), c.begin(), c.end());
  return a;
}

// The columns of the rows as excess, reducible and basis; false where a reducible monomial is in no
// row.
bool set_columns(const Instance& instance, int unknowns, Template& t) {
  const std::vector<Monomial> monomials = monomials_up_to(unknowns, instance.degree);
  std::vector<int> support;
  for (const Row& row : t.rows) {
    const Polynomial& p = instance.equations[static_cast<std::size_t>(row.equation)];
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (p[i] != 0) support.push_back(monomial_index(monomial_product(monomials[i], row.shift)));
    }
  }
  std::sort(support.begin(), support.end(), std::greater<>());
  support.erase(std::unique(support.begin(), support.end()), support.end());
  t.excess.clear();
  for (const int m : support) {
    if (!contains(t.reducible, m) && !contains(t.basis, m)) t.excess.push_back(m);
  }
  return std::all_of(t.reducible.begin(), t.reducible.end(),
                     [&](int m) { return contains(support, m); });
}

// The pivots among the columns of the template; empty where a reducible monomial has none.
std::vector<bool> checked_pivots(const Template& t, const Instance& instance, int unknowns) {
  std::vector<bool> p = pivots(instance, t.rows, joined(t.excess, t.reducible, t.basis), unknowns);
  for (std::size_t i = 0; i < t.reducible.size(); ++i) {
    if (!p[t.excess.size() + i]) return {};
  }
  return p;
}

bool is_solvable(Template& t, const Instance& instance, int unknowns) {
  return !t.rows.empty() && set_columns(instance, unknowns, t) &&
         !checked_pivots(t, instance, unknowns).empty();
}

// Removes rows in random order, those of high degree first, in blocks that are halved, as long as
// the template holds.
void prune_rows(Template& t, const Instance& instance, int unknowns, std::mt19937_64& random) {
  std::shuffle(t.rows.begin(), t.rows.end(), random);
  std::stable_sort(t.rows.begin(), t.rows.end(),
                   [](const Row& a, const Row& b) { return a.shift[0] > b.shift[0]; });
  for (std::size_t block = std::max<std::size_t>(1, t.rows.size() / 4);; block /= 2) {
    for (std::size_t i = 0; i < t.rows.size();) {
      Template smaller = t;
      const std::size_t end = std::min(i + block, t.rows.size());
      smaller.rows.erase(smaller.rows.begin() + static_cast<std::ptrdiff_t>(i),
                         smaller.rows.begin() + static_cast<std::ptrdiff_t>(end));
      if (is_solvable(smaller, instance, unknowns))
        t = std::move(smaller);
      else
        i = end;
    }
    if (block == 1) break;
  }
  set_columns(instance, unknowns, t);
}

// Removes the excess columns that depend on those before them: whatever combination of rows has
// zeros in the others has zeros there, too.
void prune_columns(Template& t, const Instance& instance, int unknowns) {
  const std::vector<bool> p = checked_pivots(t, instance, unknowns);
  std::vector<int> kept;
  for (std::size_t i = 0; i < t.excess.size(); ++i) {
    if (p[i]) kept.push_back(t.excess[i]);
  }
  t.excess = kept;
}

// The places in B of every monomial m whose products with all unknowns are in B as well.
std::vector<std::vector<int>> find_extraction(const std::vector<int>& basis,
                                              const std::vector<Monomial>& monomials, int n) {
  std::vector<std::vector<int>> found;
  const auto place = [&](const Monomial& m) {
    return static_cast<int>(std::find(basis.begin(), basis.end(), monomial_index(m)) -
                            basis.begin());
  };
  for (const int b : basis) {
    const Monomial& m = monomials[static_cast<std::size_t>(b)];
    std::vector<int> places{place(m)};
    for (int k = 0; k < n; ++k)
      places.push_back(place(monomial_product(m, unknown_monomial(n, k))));
    if (*std::max_element(places.begin(), places.end()) < static_cast<int>(basis.size()))
      found.push_back(places);
  }
  return found;
}

int rank_deficit(const Template& t) {
  return static_cast<int>(t.rows.size()) - static_cast<int>(t.excess.size() + t.reducible.size());
}

}  // namespace

Template find_template(const Problem& problem, const Instance& instance, const Quotient& quotient,
                       std::mt19937_64& random, const std::string& file) {
  const int n = static_cast<int>(problem.unknowns.size());
  const std::vector<Monomial> monomials = monomials_up_to(n, quotient.degree + 1);
  const auto extraction = find_extraction(quotient.basis, monomials, n);
  if (extraction.empty())
    throw Error(ErrorCode::input,
                fmt::format("{}: the unknowns cannot be extracted: no monomial of the basis of {} "
                            "has its products with all unknowns there; an unknown that is a "
                            "function of the others has to be eliminated by hand",
                            file, quotient.basis.size()));
  Template best;
  for (int action = 0; action < n; ++action) {
    Template start;
    start.action = action;
    start.basis = quotient.basis;
    start.extraction = extraction;
    for (const int b : quotient.basis) {
      const int m = monomial_index(
          monomial_product(monomials[static_cast<std::size_t>(b)], unknown_monomial(n, action)));
      if (!contains(quotient.basis, m)) start.reducible.push_back(m);
    }
    std::sort(start.reducible.begin(), start.reducible.end(), std::greater<>());
    for (start.degree = problem.degree(); start.degree <= quotient.degree + 1; ++start.degree) {
      start.rows = rows_up_to(problem, start.degree);
      if (is_solvable(start, instance, n)) break;
    }
    if (start.degree > quotient.degree + 1) continue;
    for (int order = 0; order < kOrders; ++order) {
      Template t = start;
      prune_rows(t, instance, n, random);
      prune_columns(t, instance, n);
      if (rank_deficit(t) == 0 && (best.rows.empty() || t.rows.size() < best.rows.size())) best = t;
    }
  }
  if (best.rows.empty())
    throw Error(ErrorCode::input,
                fmt::format("{}: no unknown's action is reduced by rows of degree {}", file,
                            quotient.degree + 1));
  std::sort(best.rows.begin(), best.rows.end(), [](const Row& a, const Row& b) {
    return std::pair(monomial_index(a.shift), a.equation) <
           std::pair(monomial_index(b.shift), b.equation);
  });
  return best;
}

bool template_holds(const Template& t, const Instance& instance, int unknowns) {
  const std::vector<bool> p = checked_pivots(t, instance, unknowns);
  return !p.empty() &&
         std::count(p.begin(), p.end(), true) == static_cast<std::ptrdiff_t>(t.rows.size());
}

}  // namespace bifocal::generate
