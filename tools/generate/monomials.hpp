// SPDX-License-Identifier: BSD-3-Clause
// Monomials of n unknowns in graded order, lowest degree first, so that the monomials up to a low
// degree are a prefix of the monomials up to a higher degree. A monomial is stored by its tails t_k
// = e_k + ... + e_n, the sums of exponents from unknown k on. Products of monomials add tails, and
// the index of a monomial is a sum of binomial coefficients of its tails.
#pragma once

#include <vector>

namespace bifocal::generate {

using Monomial = std::vector<int>;  // tails in descending order

// Returns the number of monomials of n unknowns up to a degree.
int monomial_count(int n, int degree);
int monomial_index(const Monomial& m);
std::vector<Monomial> monomials_up_to(int n, int degree);
Monomial monomial_product(const Monomial& a, const Monomial& b);
// Computes quotient = a / b; returns false if b does not divide a.
bool monomial_quotient(const Monomial& a, const Monomial& b, Monomial& quotient);
int weighted_degree(const Monomial& m, const std::vector<int>& weights);
// Returns unknown k as a monomial of n unknowns.
Monomial unknown_monomial(int n, int k);

}  // namespace bifocal::generate
