// SPDX-License-Identifier: BSD-3-Clause
// Elimination templates of the action-matrix method: rows (equations times monomials) whose
// elimination expresses a b for every monomial b of a set B by monomials of B, where a is an
// unknown or its inverse. B may be a basis of all polynomials modulo the equations, or larger: then
// some eigenvectors belong to no solution.
//   Z. Kukelova, M. Bujnak, T. Pajdla, Automatic generator of minimal problem solvers, ECCV 2008;
//   V. Larsson, K. Astrom, M. Oskarsson, Efficient solvers for minimal problems by syzygy-based
//   reduction, CVPR 2017 (which names the columns as here: excess, to reduce, basis);
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
  std::vector<Row> rows;                      // as many as excess and reducible columns
  std::vector<int> excess, reducible, basis;  // indices of monomials
  std::vector<int> image;  // for each element of B, the index of its product with a
  // For each unknown, pairs of places of m and x m in B followed by the images of its elements.
  std::vector<std::vector<std::pair<int, int>>> extraction;

  [[nodiscard]] double cost() const;  // predicted time, of arbitrary unit
};

// The template of least predicted time that the search comes upon: shifts that grow, each unknown
// and its inverse as action, and random orders in which rows and elements of B are taken away.
// Throws Error(input) in words where there is none.
Template find_template(const Problem& problem, const Instance& instance, const Quotient& quotient,
                       std::mt19937_64& random, const std::string& file, const Watch& watch = {});

// Tells whether the template eliminates this instance, which it was not made from, too.
bool template_holds(const Template& t, const Instance& instance, int unknowns);

}  // namespace bifocal::generate
