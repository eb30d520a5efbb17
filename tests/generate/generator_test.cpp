// SPDX-License-Identifier: BSD-3-Clause
// The generator reproduces the committed files, and explains problems that it cannot solve.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <bifocal/error.hpp>

#include <fstream>
#include <sstream>

#include "generate/generate.hpp"
#include "support/paths.hpp"

namespace bifocal::test {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(test::kSourceFolder) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

generate::Generated generated(const std::string& text) {
  return generate::generate_solver(text, "p.problem", 0);
}

// Returns the message of the error for this text.
std::string error_of(const std::string& text) {
  try {
    generated(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    return error.what();
  }
  return "no error";
}

struct Size {
  const char* problem;
  int roots, rows, eigenpairs;
};

TEST(Generator, templates_are_as_small_as_documented_and_solvers_equal_the_committed_files) {
  const Size sizes[] = {
      {"essential_null_space", 10, 10, 10},
      {"six_point_shared_focal", 15, 11, 15},
      {"three_point_upright", 4, 6, 4},
      {"relative_pose_6pt_one_sided_focal", 9, 11, 9},
      {"essential_6pt_one_sided_radial", 26, 14, 26},
      {"fundamental_8pt_one_sided_radial", 8, 7, 8},
      {"fundamental_9pt_shared_radial", 6, 5, 6},
      {"essential_4pt_known_angle", 20, 36, 20},
      {"p35p_focal", 10, 25, 10},
      {"p4p_focal_radial", 12, 26, 14},
      {"homography_5pt_shared_radial", 4, 2, 4},
      {"relative_pose_3pt_monodepth_shared_focal", 4, 6, 4},
      {"relative_pose_4pt_gravity_shared_focal", 20, 8, 20},
  };
  int committed = 0;
  for (const Size& size : sizes) {
    const std::string name = size.problem;
    const generate::Generated solver =
        generated(text_of("tools/generate/problems/" + name + ".problem"));
    EXPECT_EQ(solver.roots, size.roots) << name;
    EXPECT_EQ(solver.rows, size.rows) << name;
    EXPECT_EQ(solver.basis, size.eigenpairs) << name;
    const std::string text = text_of("generated/solvers/" + name + ".lane.h");
    if (text.empty()) continue;  // not a solver of the library
    ++committed;
    EXPECT_TRUE(solver.text == text) << name;
  }
  EXPECT_EQ(committed, 3);
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
  EXPECT_EQ(error_of(head + "seed two\n"), "p.problem:4: seed: 'two' is not a whole number");
  EXPECT_EQ(error_of(head + "vectors all\n"), "p.problem:4: vectors: 'all' must be 'hidden'");
  EXPECT_EQ(error_of(head + "data B 3\n"),
            "p.problem:4: data: 'B 3' is not a name and a size such as 3x3");
  EXPECT_EQ(error_of(head + "let a = x*x*x*x*x\nzero a*a - 1\n"),
            "p.problem: an equation of degree 10 is too large for a lane: at most 9 is supported");
  EXPECT_EQ(error_of("problem p\nunknowns x\n"), "p.problem: no line 'zero ...'");
}

// A rotation by Cayley's formula, which satisfies R'R = 1, and a rotated point give three
// consistent equations for two unknowns; independent random numbers would contradict each other.
TEST(Generator, data_are_made_of_random_numbers) {
  const std::string made =
      "random u 3x1\nrandom p 2x1\n"
      "data R = ((1 - u'*u)*[1, 0, 0; 0, 1, 0; 0, 0, 1] + 2*u*u' + 2*skew(u))/(1 + u'*u)\n"
      "data q = R*[p; 1]\n";
  const std::string equation = "zero [x; y; 1] - R'*q\n";
  EXPECT_EQ(generated("problem rotation\nunknowns x y\n" + made + equation).roots, 1);
  const std::string error =
      error_of("problem rotation\nunknowns x y\ndata R 3x3\ndata q 3x1\n" + equation);
  EXPECT_NE(error.find("contradict each other"), std::string::npos) << error;
}

// Data may equal random numbers under another name, or a constant.
TEST(Generator, data_may_be_one_name_or_number) {
  const std::string text =
      "problem same\nunknowns x\nrandom u 1x1\ndata a = u\ndata b = 2*u\ndata two = 2\n"
      "zero x - a\nzero two*x - b\n";
  EXPECT_EQ(generated(text).roots, 1);
}

TEST(Generator, random_numbers_and_unknowns_are_kept_apart) {
  const std::string head = "problem p\nunknowns x y\nrandom u 1x1\n";
  EXPECT_EQ(error_of(head + "zero x - u\n"),
            "p.problem:4: 'u' is a random number: only data may depend on it");
  EXPECT_EQ(error_of(head + "data a = u*x\n"),
            "p.problem:4: 'x' is an unknown: data cannot depend on it");
  EXPECT_EQ(error_of(head + "zero x/2\n"),
            "p.problem:4: data alone may be divided; multiply an equation by the divisor");
  EXPECT_EQ(error_of(head + "zero [x, y; 1]\n"),
            "p.problem:4: rows of 2 and 1 columns cannot be stacked");
}

TEST(Generator, infinitely_many_solutions_are_explained) {
  const std::string text =
      "problem line\nunknowns x y\ndata a 1x1\ndata b 1x1\nzero x*(y - a)\nzero x*(x - b)\n";
  const std::string error = error_of(text);
  EXPECT_NE(error.find("infinitely many solutions"), std::string::npos) << error;
  EXPECT_NE(error.find("saturate by x?"), std::string::npos) << error;
  EXPECT_EQ(generated(text + "nonzero x\n").roots, 1);  // x = b, y = a
}

TEST(Generator, a_named_action_is_used) {
  const std::string text =
      text_of("tools/generate/problems/relative_pose_6pt_one_sided_focal.problem");
  EXPECT_EQ(generated(text + "action 1/q\n").action, "1/q");
  EXPECT_EQ(generated(text + "action 1/q\n").rows, 11);
  EXPECT_EQ(error_of("problem p\nunknowns x\naction 1/y\n"),
            "p.problem:3: action: 'y' is not an unknown");
}

TEST(Generator, the_seed_of_a_problem_is_an_offset) {
  const std::string text =
      text_of("tools/generate/problems/relative_pose_6pt_one_sided_focal.problem");
  EXPECT_EQ(generated(text + "seed 3\n").text, generate::generate_solver(text, "p", 3).text);
}

TEST(Generator, equations_without_a_solution_are_explained) {
  const std::string error =
      error_of("problem none\nunknowns x\ndata a 1x1\ndata b 1x1\nzero x - a\nzero x - b\n");
  EXPECT_NE(error.find("contradict each other"), std::string::npos) << error;
}

}  // namespace
}  // namespace bifocal::test
