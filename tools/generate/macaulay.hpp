// SPDX-License-Identifier: BSD-3-Clause
// Macaulay matrices: rows are the equations times monomials, columns the monomials up to a degree.
// Their elimination modulo a prime gives the number of roots without a Groebner basis package.
//   D. Lazard, Groebner bases, Gaussian elimination and resolution of systems of algebraic
//   equations, EUROCAL 1983;
//   B. Mourrain, A new criterion for normal form algorithms, AAECC 1999 (rows that turn out to be
//   of low degree are multiplied again).
#pragma once

#include <vector>

#include "generate/instance.hpp"
#include "generate/monomials.hpp"

namespace bifocal::generate {

// A row: an equation times a monomial.
struct Row {
  int equation = 0;
  Monomial shift;
};

// Returns all rows up to a degree; equations of lower degree have more shifts.
std::vector<Row> rows_up_to(const Problem& problem, int degree);

struct Quotient {
  int degree = 0;  // of the matrix that determines it
  std::vector<int>
      basis;  // indices of the standard monomials in graded reverse lexicographic order
  std::vector<std::vector<int>> bases;  // for orders in which unknowns have different weights
};

// Finds monomials that are a basis of all polynomials modulo the equations; their number is the
// number of roots. Unknowns that are nonzero at all solutions are divided out. Throws Error(input)
// with an explanation if the number of roots is infinite or zero.
Quotient find_quotient(const Problem& problem, const Instance& instance, const std::string& file);

}  // namespace bifocal::generate
