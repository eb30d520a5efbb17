// SPDX-License-Identifier: BSD-3-Clause
// Elimination templates of the action-matrix method. Their rows are equations times monomials.
// Elimination of the rows expresses a b, for every monomial b of a set B, by monomials of B, where
// a is an unknown or its inverse. B may be a basis of all polynomials modulo the equations, or a
// larger set; then some eigenvectors do not belong to a solution.
//   Z. Kukelova, M. Bujnak, T. Pajdla, Automatic generator of minimal problem solvers, ECCV 2008;
//   V. Larsson, K. Astrom, M. Oskarsson, Efficient solvers for minimal problems by syzygy-based
//   reduction, CVPR 2017 (source of the names of the columns: excess, to reduce, basis);
//   E. Martyushev, S. Bhayani, T. Pajdla, Automatic solver generator for systems of Laurent
//   polynomial equations, arXiv 2307.00320 (larger sets, inverse unknowns).
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "generate/macaulay.hpp"
#include "generate/watch.hpp"

namespace bifocal::generate {

struct Template {
  Action action;
  std::vector<Row> rows;                      // number: excess + reducible columns
  std::vector<int> excess, reducible, basis;  // indices of monomials
  std::vector<int> image;  // for each element of B, the index of its product with a
  // For each unknown x, pairs of indices of m and x m in B followed by the images of its elements.
  std::vector<std::vector<std::pair<int, int>>> extraction;

  [[nodiscard]] double cost() const;  // predicted time in an arbitrary unit
};

// Returns the template of least predicted time that the search finds. The search varies the shifts,
// takes each unknown and its inverse as action, and removes rows and elements of B in random
// orders. Throws Error(input) with an explanation if it finds none.
Template find_template(const Problem& problem, const Instance& instance, const Quotient& quotient,
                       std::mt19937_64& random, const std::string& file, const Watch& watch = {});

// Returns whether the template also eliminates this instance, from which it was not computed.
bool template_holds(const Template& t, const Instance& instance, int unknowns);

}  // namespace bifocal::generate
