// SPDX-License-Identifier: BSD-3-Clause
// The text of a lane file that solves the problem by its template: coefficients of the equations,
// elimination, action matrix, real eigenpairs, extraction, and a polish on the equations.
#pragma once

#include <string>

#include "generate/template.hpp"

namespace bifocal::generate {

std::string emit_solver(const Problem& problem, const Template& t);

// The parts of it, in the order of the file.
std::string emit_head(const Problem& problem, const Template& t);
std::string emit_polynomials(const Problem& problem);
std::string emit_equations(const Problem& problem);
std::string emit_elimination(const Problem& problem, const Template& t);
std::string emit_solutions(const Problem& problem, const Template& t);

// The loops over all monomials of a degree by their tails: "t1 <= degree", ...; prefix names them.
// No space follows the last one.
std::string monomial_loops(int unknowns, const std::string& prefix, const std::string& degree,
                           const std::string& indent);

}  // namespace bifocal::generate
