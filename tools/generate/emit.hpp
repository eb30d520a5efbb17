// SPDX-License-Identifier: BSD-3-Clause
// Writes the lane file that solves a problem: its equations, and the tables of its elimination
// template for src/solvers/elimination_template.lane.h.
#pragma once

#include <string>

#include "generate/template.hpp"

namespace bifocal::generate {

// Returns the lane file. used: indices of the monomials that occur in an equation, in ascending
// order. stopped: the search for a template was ended early, which the head of the file reports.
std::string emit_solver(const Problem& problem, const Template& t, int roots,
                        const std::vector<int>& used, bool stopped);

// Return the parts of the file, in their order.
std::string emit_head(const Problem& problem, const Template& t, int roots, bool stopped);
std::string emit_equations(const Problem& problem);
std::string emit_roots(const Problem& problem, const Template& t, const std::vector<int>& used);

// Returns the text with lines of code of at most 100 characters, broken after commas.
std::string wrapped(const std::string& text);

// Returns the text as comment lines of at most 98 characters.
std::string comment(const std::string& text, const std::string& indent);

// Returns a table of whole numbers, broken into lines.
std::string index_table(const std::string& name, const std::vector<int>& values);

}  // namespace bifocal::generate
