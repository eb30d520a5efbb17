// SPDX-License-Identifier: BSD-3-Clause
// The text of a lane file that solves the problem: its equations, and the tables of its template
// for src/solvers/elimination_template.lane.h.
#pragma once

#include <string>

#include "generate/template.hpp"

namespace bifocal::generate {

// used: the places of the monomials that occur in an equation, in ascending order. stopped: the
// search was ended early, which the head then says.
std::string emit_solver(const Problem& problem, const Template& t, int roots,
                        const std::vector<int>& used, bool stopped);

// The parts of it, in the order of the file.
std::string emit_head(const Problem& problem, const Template& t, int roots, bool stopped);
std::string emit_equations(const Problem& problem);
std::string emit_roots(const Problem& problem, const Template& t, const std::vector<int>& used);

// The text with lines of code of at most 100 characters, broken behind commas.
std::string wrapped(const std::string& text);

// The text as comment lines of at most 98 characters.
std::string comment(const std::string& text, const std::string& indent);

// A table of whole numbers, broken into lines.
std::string index_table(const std::string& name, const std::vector<int>& values);

}  // namespace bifocal::generate
