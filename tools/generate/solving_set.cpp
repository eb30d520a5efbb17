// SPDX-License-Identifier: BSD-3-Clause
#include "generate/solving_set.hpp"

#include <flint/nmod_mat.h>

#include <algorithm>

namespace bifocal::generate {

RowPool::RowPool(const Instance& instance, int unknowns, int degree)
    : instance_(instance), unknowns_(unknowns), monomials_(monomials_up_to(unknowns, degree)) {
  for (int k = 0; k < unknowns; ++k) {
    const Monomial x = unknown_monomial(unknowns, k);
    std::vector<int> times, over;
    Monomial quotient;
    for (const Monomial& m : monomials_) {
      const int product = monomial_index(monomial_product(m, x));
      times.push_back(product < static_cast<int>(monomials_.size()) ? product : -1);
      over.push_back(monomial_quotient(m, x, quotient) ? monomial_index(quotient) : -1);
    }
    images_.push_back(times);
    images_.push_back(over);
  }
  numbers_.assign(instance.equations.size(), std::vector<int>(monomials_.size(), -1));
}

int RowPool::number_of(const Row& row) {
  int& number = numbers_[at(row.equation)][at(monomial_index(row.shift))];
  if (number >= 0) return number;
  number = static_cast<int>(rows_.size());
  rows_.push_back(row);
  std::vector<Term> terms;
  const Polynomial& p = instance_.equations[at(row.equation)];
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] != 0)
      terms.push_back({monomial_index(monomial_product(monomials_[i], row.shift)), p[i]});
  }
  terms_.push_back(terms);
  return number;
}

std::vector<bool> RowPool::support_of(const std::vector<int>& rows) const {
  std::vector<bool> support(monomials_.size());
  for (const int r : rows) {
    for (const Term& term : terms_[at(r)]) support[at(term.column)] = true;
  }
  return support;
}

// Sets the reducible and excess columns for the basis, the largest monomials first.
void RowPool::set_columns(const std::vector<bool>& support, Template& t) const {
  std::vector<char> kind(support.begin(), support.end());
  t.image.clear();
  for (const int b : t.basis) {
    t.image.push_back(image(b, t.action));
    kind[at(t.image.back())] = 2;
  }
  for (const int b : t.basis) kind[at(b)] = 3;
  t.excess.clear();
  t.reducible.clear();
  for (int m = size() - 1; m >= 0; --m) {
    if (kind[at(m)] == 1) t.excess.push_back(m);
    if (kind[at(m)] == 2) t.reducible.push_back(m);
  }
}

// Eliminates the rows, excess columns first. Flags the reducible monomials that remain
// undetermined. Otherwise drops the excess columns that depend on earlier columns: row combinations
// that are zero in the earlier columns are zero in the dependent ones as well. Returns whether all
// reducible monomials are determined.
bool RowPool::eliminate(const std::vector<int>& rows, Template& t, std::vector<bool>& bad) const {
  std::vector<int> place(monomials_.size(), -1);
  int columns = 0;
  for (const auto* list : {&t.excess, &t.reducible, &t.basis}) {
    for (const int m : *list) place[at(m)] = columns++;
  }
  nmod_mat_t matrix;
  nmod_mat_init(matrix, static_cast<slong>(rows.size()), columns, instance_.prime);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const Term& term : terms_[at(rows[r])]) {
      const int to = place[at(term.column)];
      if (to >= 0) nmod_mat_entry(matrix, r, to) = term.value;
    }
  }
  const slong rank = nmod_mat_rref(matrix);
  const std::size_t first = t.excess.size(), last = first + t.reducible.size();
  std::vector<int> pivot_row(last, -1);
  std::size_t column = 0;
  for (slong r = 0; r < rank; ++r, ++column) {
    while (nmod_mat_entry(matrix, r, column) == 0) ++column;
    if (column < last) pivot_row[column] = static_cast<int>(r);
  }
  bad.assign(monomials_.size(), false);
  bool sound = true;
  for (std::size_t c = first; c < last; ++c) {
    bool determined = pivot_row[c] >= 0;
    for (std::size_t d = c + 1; d < last && determined; ++d)
      determined = pivot_row[d] >= 0 || nmod_mat_entry(matrix, pivot_row[c], d) == 0;
    bad[at(t.reducible[c - first])] = !determined;
    sound = sound && determined;
  }
  nmod_mat_clear(matrix);
  if (!sound) return false;
  std::vector<int> kept;
  for (std::size_t c = 0; c < first; ++c) {
    if (pivot_row[c] >= 0) kept.push_back(t.excess[c]);
  }
  t.excess = kept;
  return true;
}

bool RowPool::find_extraction(Template& t) const {
  std::vector<int> place(monomials_.size(), -1);
  const int n = static_cast<int>(t.basis.size());
  for (int i = n - 1; i >= 0; --i) place[at(t.image[at(i)])] = n + i;
  for (int i = 0; i < n; ++i) place[at(t.basis[at(i)])] = i;
  t.extraction.assign(at(unknowns_), {});
  for (int k = 0; k < unknowns_; ++k) {
    for (int m = 0; m < size(); ++m) {
      const int product = image(m, {k, false});
      if (place[at(m)] >= 0 && product >= 0 && place[at(product)] >= 0)
        t.extraction[at(k)].emplace_back(place[at(m)], place[at(product)]);
    }
    if (t.extraction[at(k)].empty()) return false;
  }
  return true;
}

bool RowPool::settle(const std::vector<int>& rows, const std::vector<bool>& candidates,
                     std::size_t least, Template& t) const {
  const std::vector<bool> support = support_of(rows);
  t.basis.clear();
  for (int m = size() - 1; m >= 0; --m) {
    if (!candidates[at(m)] || !support[at(m)]) continue;
    const int product = image(m, t.action);
    if (product >= 0 && support[at(product)]) t.basis.push_back(m);
  }
  std::vector<bool> bad;
  for (;;) {
    if (t.basis.size() < least) return false;
    set_columns(support, t);
    if (eliminate(rows, t, bad)) break;
    std::erase_if(t.basis, [&](int b) { return bad[at(image(b, t.action))]; });
  }
  t.rows.clear();
  for (const int r : rows) t.rows.push_back(row(r));
  return find_extraction(t);
}

}  // namespace bifocal::generate
