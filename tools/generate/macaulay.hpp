// SPDX-License-Identifier: BSD-3-Clause
// Macaulay matrices: the equations times monomials, a row each, over the monomials of a degree.
// Their elimination modulo a prime gives the number of roots without a Groebner engine
//   D. Lazard, Groebner bases, Gaussian elimination and resolution of systems of algebraic
//   equations, EUROCAL 1983;
//   B. Mourrain, A new criterion for normal form algorithms, AAECC 1999 (rows that turn out to be
//   of low degree are multiplied again).
#pragma once

#include <vector>

#include "generate/instance.hpp"
#include "generate/monomials.hpp"

namespace bifocal::generate {

// One row: an equation times a monomial.
struct Row {
  int equation = 0;
  Monomial shift;
};

// All rows of at most the degree; equations of lower degree are shifted further.
std::vector<Row> rows_up_to(const Problem& problem, int degree);

struct Quotient {
  int degree = 0;  // of the matrix that determines it
  std::vector<int>
      basis;  // indices of the standard monomials in graded reverse lexicographic order
  std::vector<std::vector<int>> bases;  // by orders in which unknowns weigh differently
};

// The monomials that are a basis of all polynomials modulo the equations, divided by the unknowns
// that are not zero where they can be; there are as many as roots. Throws Error(input) in words
// where there are infinitely many, or none.
Quotient find_quotient(const Problem& problem, const Instance& instance, const std::string& file);

}  // namespace bifocal::generate
