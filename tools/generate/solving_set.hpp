// SPDX-License-Identifier: BSD-3-Clause
// Solving sets: B such that elimination of given rows expresses a b for all b in B by B.
#pragma once

#include "generate/template.hpp"

namespace bifocal::generate {

// All monomials up to a degree with their neighbours, and the rows that a search chooses from.
class RowPool {
 public:
  RowPool(const Instance& instance, int unknowns, int degree);

  // The number of the row, which is made when it is first asked for.
  int number_of(const Row& row);
  [[nodiscard]] const Row& row(int number) const { return rows_[at(number)]; }
  [[nodiscard]] int size() const { return static_cast<int>(images_[0].size()); }
  [[nodiscard]] int unknowns() const { return unknowns_; }
  [[nodiscard]] const Monomial& monomial(int index) const { return monomials_[at(index)]; }
  // The index of the product with the action; -1 where there is none in the pool.
  [[nodiscard]] int image(int index, Action action) const {
    return images_[at(2 * action.unknown + (action.inverse ? 1 : 0))][at(index)];
  }

  // Gives the template the rows, and the largest solving set of them inside `candidates` (a flag a
  // monomial) as B. False where that has fewer than `least` elements or does not tell all unknowns.
  bool settle(const std::vector<int>& rows, const std::vector<bool>& candidates, std::size_t least,
              Template& t) const;

 private:
  struct Term {
    int column;
    Element value;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] std::vector<bool> support_of(const std::vector<int>& rows) const;
  void set_columns(const std::vector<bool>& support, Template& t) const;
  [[nodiscard]] bool eliminate(const std::vector<int>& rows, Template& t,
                               std::vector<bool>& bad) const;
  [[nodiscard]] bool find_extraction(Template& t) const;

  const Instance& instance_;
  int unknowns_;
  std::vector<Monomial> monomials_;
  std::vector<std::vector<int>> images_;  // by an unknown, by its inverse, by the next one, ...
  std::vector<Row> rows_;
  std::vector<std::vector<Term>> terms_;
  std::vector<std::vector<int>> numbers_;  // by equation and shift
};

}  // namespace bifocal::generate
