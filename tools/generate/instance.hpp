// SPDX-License-Identifier: BSD-3-Clause
// Exact random instances of a problem over the integers modulo a prime. Their generic ranks, and
// therefore the shape of an elimination, equal the ranks and shape for real data except with a
// probability of about size / prime.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "generate/problem.hpp"

namespace bifocal::generate {

using Element = std::uint64_t;
// Coefficients in the order of monomials.hpp.
using Polynomial = std::vector<Element>;

struct Instance {
  Element prime = 0;
  int degree = 0;  // of every polynomial, padded with zeros
  std::vector<Polynomial> equations;
};

// Returns the equations with all data drawn at random.
Instance random_instance(const Problem& problem, Element prime, std::mt19937_64& random);

}  // namespace bifocal::generate
