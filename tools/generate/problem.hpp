// SPDX-License-Identifier: BSD-3-Clause
// A minimal problem as its file states it: unknowns, data, and equations in matrix notation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::generate {

// Every expression is a matrix of polynomials in the unknowns; a scalar is 1 x 1.
struct Shape {
  int rows = 1, columns = 1, degree = 0;
  [[nodiscard]] int count() const { return rows * columns; }
};

enum class Operation {
  number,
  name,
  sum,
  difference,
  product,
  quotient,
  transpose,
  determinant,
  trace,
  diagonal,
  part,    // of a matrix, from element `number` on
  skew,    // the matrix of the cross product with a vector of 3
  beside,  // matrices in a row
  stack    // one below the other
};

struct Expression {
  Operation operation = Operation::number;
  long number = 0;
  std::string name;
  std::vector<Expression> parts;
  Shape shape;
};

struct Definition {
  std::string name;  // empty for an equation
  std::string text;
  Expression expression;
};

struct Datum {
  std::string name;
  Shape shape;
  std::optional<Expression> expression;  // what it is made of while the solver is generated, or
                                         // else random
};

// The unknown, or its inverse, that B is multiplied by.
struct Action {
  int unknown = 0;
  bool inverse = false;
  bool operator==(const Action&) const = default;
};

struct Problem {
  std::string name, about;
  std::vector<std::string> papers, notes, unknowns;
  std::vector<Datum> randoms;  // what data may be made of, in the order of their lines
  std::vector<Datum> data;
  std::vector<int> nonzero;  // unknowns that are 0 at no solution of interest
  std::vector<Definition> lets, equations;
  std::vector<Action> actions;  // that are searched; all, if none is named
  bool hidden_vectors = false;  // eigenvectors come from the matrix of polynomials in the action
  std::uint64_t seed = 0;       // of the random data and orders, which the caller's is added to

  [[nodiscard]] int data_count() const;      // numbers in all data
  [[nodiscard]] int equation_count() const;  // scalar equations
  [[nodiscard]] int degree() const;          // the largest of an equation
};

// The action in words: "x" or "1/x".
std::string action_name(const Problem& problem, Action action);

// One expression. `in_data`: it may take random numbers and divide, but not take unknowns.
Expression parse_expression(const Problem& problem, std::string_view text, const std::string& place,
                            bool in_data);

// Throws Error(input) that names file, line and value.
Problem parse_problem(std::string_view text, const std::string& file);

}  // namespace bifocal::generate
