// SPDX-License-Identifier: BSD-3-Clause
// The generator writes the committed files again, and explains problems that it cannot solve.
#include <gtest/gtest.h>
#include <bifocal/error.hpp>

#include <fstream>
#include <sstream>

#include "generate/generate.hpp"

namespace bifocal::test {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(BIFOCAL_SOURCE_DIR) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

generate::Generated generated(const std::string& text) {
  return generate::generate_solver(text, "p.problem", 0);
}

// The message of the error that the text makes.
std::string error_of(const std::string& text) {
  try {
    generated(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    return error.what();
  }
  return "no error";
}

TEST(Generator, the_committed_solver_is_what_its_problem_gives) {
  const std::string problem = text_of("src/generate/problems/essential_null_space.problem");
  const generate::Generated solver = generated(problem);
  EXPECT_EQ(solver.roots, 10);
  EXPECT_EQ(solver.rows, 10);
  EXPECT_EQ(solver.columns, 20);
  EXPECT_EQ(solver.text, text_of("tests/generate/essential_null_space.lane.h"));
}

TEST(Generator, the_committed_solver_of_a_focal_length_is_what_its_problem_gives) {
  const generate::Generated solver =
      generated(text_of("src/generate/problems/one_sided_focal.problem"));
  EXPECT_EQ(solver.roots, 9);
  EXPECT_EQ(solver.rows, 11);
  EXPECT_EQ(solver.columns, 20);
  EXPECT_EQ(solver.text, text_of("tests/generate/one_sided_focal.lane.h"));
}

TEST(Generator, bezout_counts_roots_of_generic_equations) {
  const std::string line = "zero a1*x*x + a2*x*y + a3*y*y + a4*x + a5*y + a6\n";
  std::string text = "problem conics\nunknowns x y\n";
  for (const char* name : {"a", "b"}) {
    for (int i = 1; i <= 6; ++i) text += "data " + (name + std::to_string(i)) + " 1x1\n";
  }
  text += line;
  std::string other = line;
  for (std::size_t i = other.find('a'); i != std::string::npos; i = other.find('a', i + 1))
    other[i] = 'b';
  EXPECT_EQ(generated(text + other).roots, 4);
}

TEST(Generator, errors_name_file_line_and_value) {
  const std::string head = "problem p\nunknowns x y\ndata A 3x3\n";
  EXPECT_EQ(error_of(head + "zero x*q - 1\n"),
            "p.problem:4: 'q' is neither an unknown nor data nor defined above");
  EXPECT_EQ(error_of(head + "zero A + x\n"), "p.problem:4: 3x3 and 1x1 cannot be added");
  EXPECT_EQ(error_of(head + "zero det(x*A\n"), "p.problem:4: ')' is missing at ''");
  EXPECT_EQ(error_of(head + "data B 3\n"),
            "p.problem:4: data: 'B 3' is not a name and a size such as 3x3");
  EXPECT_EQ(error_of("problem p\nunknowns x\n"), "p.problem: no line 'zero ...'");
}

// A rotation by Cayley's formula, which R'R = 1 agrees with, and a point that it turns: three
// equations of two unknowns that independent numbers contradict.
TEST(Generator, data_are_made_of_random_numbers) {
  const std::string made =
      "random u 3x1\nrandom p 2x1\n"
      "data R = ((1 - u'*u)*[1, 0, 0; 0, 1, 0; 0, 0, 1] + 2*u*u' + 2*skew(u))/(1 + u'*u)\n"
      "data q = R*[p; 1]\n";
  const std::string equation = "zero [x; y; 1] - R'*q\n";
  EXPECT_EQ(generated("problem turn\nunknowns x y\n" + made + equation).roots, 1);
  const std::string error =
      error_of("problem turn\nunknowns x y\ndata R 3x3\ndata q 3x1\n" + equation);
  EXPECT_NE(error.find("contradict each other"), std::string::npos) << error;
}

TEST(Generator, random_numbers_and_unknowns_are_kept_apart) {
  const std::string head = "problem p\nunknowns x y\nrandom u 1x1\n";
  EXPECT_EQ(error_of(head + "zero x - u\n"),
            "p.problem:4: 'u' is random: only data may be made of it");
  EXPECT_EQ(error_of(head + "data a = u*x\n"),
            "p.problem:4: 'x' is unknown: no data are made of it");
  EXPECT_EQ(error_of(head + "zero x/2\n"),
            "p.problem:4: data alone may be divided; multiply an equation by the divisor");
  EXPECT_EQ(error_of(head + "zero [x, y; 1]\n"),
            "p.problem:4: rows of 2 and 1 columns stand above each other");
}

TEST(Generator, infinitely_many_solutions_are_told_in_words) {
  const std::string text =
      "problem line\nunknowns x y\ndata a 1x1\ndata b 1x1\nzero x*(y - a)\nzero x*(x - b)\n";
  const std::string error = error_of(text);
  EXPECT_NE(error.find("infinitely many solutions"), std::string::npos) << error;
  EXPECT_NE(error.find("saturate by x?"), std::string::npos) << error;
}

TEST(Generator, equations_without_a_solution_are_told_in_words) {
  const std::string error =
      error_of("problem none\nunknowns x\ndata a 1x1\ndata b 1x1\nzero x - a\nzero x - b\n");
  EXPECT_NE(error.find("contradict each other"), std::string::npos) << error;
}

}  // namespace
}  // namespace bifocal::test
