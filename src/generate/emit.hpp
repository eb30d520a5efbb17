// SPDX-License-Identifier: BSD-3-Clause
// The text of a lane file that solves the problem by its template: coefficients of the equations,
// elimination, action matrix, real eigenpairs, extraction, and a polish on the equations.
#pragma once

#include <string>

#include "generate/template.hpp"

namespace bifocal::generate {

// used: the places of the monomials that occur in an equation, in ascending order.
std::string emit_solver(const Problem& problem, const Template& t, int roots,
                        const std::vector<int>& used);

// The parts of it, in the order of the file.
std::string emit_head(const Problem& problem, const Template& t, int roots);
std::string emit_equations(const Problem& problem, const std::vector<int>& used);
std::string emit_elimination(const Problem& problem, const Template& t,
                             const std::vector<int>& used);
std::string emit_solutions(const Problem& problem, const Template& t, const std::vector<int>& used);

// Tells whether all monomials up to the degree of the equations occur; else the table of those that
// do, and the place of the k-th.
bool is_dense(const Problem& problem, const std::vector<int>& used);
std::string used_table(const Problem& problem, const std::vector<int>& used);
std::string used_place(const Problem& problem, const std::vector<int>& used);

// The beginning of the names of what emitted solvers share.
std::string polynomials_name(int unknowns);

// The text with lines of code of at most 100 characters, broken behind commas.
std::string wrapped(const std::string& text);

// The text as comment lines of at most 98 characters.
std::string comment(const std::string& text, const std::string& indent);

// A table of whole numbers, broken into lines.
std::string index_table(const std::string& name, const std::vector<int>& values);

// The action in words: "x" or "1/x".
std::string action_name(const Problem& problem, const Template& t);

// The loops over all monomials of a degree by their tails: "t1 <= degree", ...; prefix names them.
// No space follows the last one.
std::string monomial_loops(int unknowns, const std::string& prefix, const std::string& degree,
                           const std::string& indent);

}  // namespace bifocal::generate
