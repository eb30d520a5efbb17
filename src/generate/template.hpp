// SPDX-License-Identifier: BSD-3-Clause
// Elimination templates of the action-matrix method: rows (equations times monomials) whose
// elimination expresses a b for every monomial b of the basis B by monomials of B, a an unknown.
//   Z. Kukelova, M. Bujnak, T. Pajdla, Automatic generator of minimal problem solvers, ECCV 2008;
//   V. Larsson, K. Astrom, M. Oskarsson, Efficient solvers for minimal problems by syzygy-based
//   reduction, CVPR 2017 (which names the columns as here: excess, to reduce, basis).
#pragma once

#include <random>
#include <vector>

#include "generate/macaulay.hpp"

namespace bifocal::generate {

struct Template {
  int action = 0;                             // the unknown a
  int degree = 0;                             // of the largest monomial
  std::vector<Row> rows;                      // as many as excess and reducible columns
  std::vector<int> excess, reducible, basis;  // indices of monomials
  std::vector<std::vector<int>> extraction;   // places in B of m, x_1 m, ..., x_n m
};

// The smallest template over all actions and a number of random orders of pruning.
Template find_template(const Problem& problem, const Instance& instance, const Quotient& quotient,
                       std::mt19937_64& random, const std::string& file);

// Whether the template eliminates this instance, which it was not made from, too.
bool template_holds(const Template& t, const Instance& instance, int unknowns);

}  // namespace bifocal::generate
