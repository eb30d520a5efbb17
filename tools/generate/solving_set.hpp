// SPDX-License-Identifier: BSD-3-Clause
// Solving sets: sets B such that elimination of given rows expresses a b for all b in B by elements
// of B.
#pragma once

#include "generate/template.hpp"

namespace bifocal::generate {

// All monomials up to a degree with their products, and the rows from which a search selects.
class RowPool {
 public:
  RowPool(const Instance& instance, int unknowns, int degree);

  // Returns the index of a row, which is created on first use.
  int number_of(const Row& row);
  [[nodiscard]] const Row& row(int number) const { return rows_[at(number)]; }
  [[nodiscard]] int size() const { return static_cast<int>(images_[0].size()); }
  [[nodiscard]] int unknowns() const { return unknowns_; }
  [[nodiscard]] const Monomial& monomial(int index) const { return monomials_[at(index)]; }
  // Returns the index of the product with the action; -1 if it is not in the pool.
  [[nodiscard]] int image(int index, Action action) const {
    return images_[at(2 * action.unknown + (action.inverse ? 1 : 0))][at(index)];
  }

  // Gives the template the rows and, as B, their largest solving set within `candidates` (one flag
  // per monomial). Returns false if the set has fewer than `least` elements or does not determine
  // all unknowns.
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
  std::vector<std::vector<int>> images_;  // products with unknown 0, its inverse, unknown 1, ...
  std::vector<Row> rows_;
  std::vector<std::vector<Term>> terms_;
  std::vector<std::vector<int>> numbers_;  // by equation and shift
};

}  // namespace bifocal::generate
