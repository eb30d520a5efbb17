// SPDX-License-Identifier: BSD-3-Clause
// The text of a lane file that solves the problem by its template: coefficients of the equations,
// elimination, action matrix, real eigenpairs, extraction, and a polish on the equations.
#pragma once

#include <string>

#include "generate/template.hpp"

namespace bifocal::generate {

std::string emit_solver(const Problem& problem, const Template& t, int roots);

// The parts of it, in the order of the file.
std::string emit_head(const Problem& problem, const Template& t, int roots);
std::string emit_polynomials(const Problem& problem);
std::string emit_equations(const Problem& problem);
std::string emit_elimination(const Problem& problem, const Template& t);
std::string emit_solutions(const Problem& problem, const Template& t);

// A table of whole numbers, broken into lines.
std::string index_table(const std::string& name, const std::vector<int>& values);

// The action in words: "x" or "1/x".
std::string action_name(const Problem& problem, const Template& t);

// The loops over all monomials of a degree by their tails: "t1 <= degree", ...; prefix names them.
// No space follows the last one.
std::string monomial_loops(int unknowns, const std::string& prefix, const std::string& degree,
                           const std::string& indent);

}  // namespace bifocal::generate
