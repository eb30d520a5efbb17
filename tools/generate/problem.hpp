// SPDX-License-Identifier: BSD-3-Clause
// A minimal problem as defined by its file: unknowns, data, and equations in matrix notation.
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
  part,  // elements of a matrix from element `number` on
  skew,  // the matrix of the cross product with a vector of 3
  row,   // matrices next to each other
  stack  // matrices one below the next
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
  // Expression from which the datum is computed when the solver is generated; random if absent.
  std::optional<Expression> expression;
};

// The unknown, or its inverse, that multiplies B.
struct Action {
  int unknown = 0;
  bool inverse = false;
  bool operator==(const Action&) const = default;
};

struct Problem {
  std::string name, about;
  std::vector<std::string> papers, notes, unknowns;
  std::vector<Datum> randoms;  // numbers from which data may be computed, in file order
  std::vector<Datum> data;
  std::vector<int> nonzero;  // unknowns that are nonzero at all solutions of interest
  std::vector<Definition> lets, equations;
  std::vector<Action> actions;  // actions to search; all if empty
  bool hidden_vectors = false;  // eigenvectors from the hidden-variable matrix
  std::uint64_t seed = 0;       // of random data and orders; the caller's seed is added

  [[nodiscard]] int data_count() const;      // numbers in all data
  [[nodiscard]] int equation_count() const;  // number of scalar equations
  [[nodiscard]] int degree() const;          // largest degree of an equation
};

// Returns the name of an action: "x" or "1/x".
std::string action_name(const Problem& problem, Action action);

// Parses one expression. `in_data`: it may use random numbers and division, but no unknowns.
Expression parse_expression(const Problem& problem, std::string_view text, const std::string& place,
                            bool in_data);

// Throws Error(input) that names file, line and value.
Problem parse_problem(std::string_view text, const std::string& file);

}  // namespace bifocal::generate
