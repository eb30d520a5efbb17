// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "generate/emit.hpp"

namespace bifocal::generate {
namespace {

// Writes the statements that evaluate one definition.
class Writer {
 public:
  explicit Writer(const Problem& problem)
      : problem_(problem), n_(static_cast<int>(problem.unknowns.size())) {}

  // out += factor e.
  void accumulate(const Expression& e, long factor, const std::string& out, const Shape& shape) {
    const bool same = e.shape.degree == shape.degree;
    const int unknown = e.operation == Operation::name ? unknown_place(e.name) : -1;
    if (e.operation == Operation::number) {
      if (e.number != 0) text_ += fmt::format("  {}[0] += lane({});\n", out, factor * e.number);
    } else if (unknown >= 0) {
      text_ += fmt::format("  {}[{}] += lane({});\n", out, unknown, factor);
    } else if (e.operation == Operation::sum || e.operation == Operation::difference) {
      accumulate(e.parts[0], factor, out, shape);
      accumulate(e.parts[1], e.operation == Operation::sum ? factor : -factor, out, shape);
    } else if (e.operation == Operation::product && e.parts[0].operation == Operation::number) {
      accumulate(e.parts[1], factor * e.parts[0].number, out, shape);
    } else if (e.operation == Operation::product && same) {
      product(e, factor, out);
    } else {
      add(value(e), e.shape, factor, out, shape);
    }
  }

  void add(const std::string& a, const Shape& shape, long factor, const std::string& out,
           const Shape& out_shape) {
    text_ += fmt::format("  {}_add({}, {}, {}, lane({}), {}, {});\n", problem_.name, a,
                         shape.degree, shape.count(), factor, out, out_shape.degree);
  }

  [[nodiscard]] int size(int degree) const { return monomial_count(n_, degree); }
  std::string text() { return text_; }

 private:
  // Returns the name of an array that holds the value.
  std::string value(const Expression& e) {
    if (e.operation == Operation::name) return named(e);
    const bool inner = e.operation == Operation::transpose || e.operation == Operation::trace ||
                       e.operation == Operation::determinant || e.operation == Operation::skew;
    const std::string a = inner ? value(e.parts[0]) : "";
    const std::string t = local(e.shape);
    const std::string& P = problem_.name;
    const Shape s = e.shape;
    if (e.operation == Operation::transpose) {
      text_ += fmt::format(
          "  for (index i = 0; i < {0}; ++i) {{\n"
          "    for (index j = 0; j < {1}; ++j)\n"
          "      {2}_add({3} + {4} * ({0} * j + i), {5}, 1, lane(1), {6} + {4} * ({1} * i + j), "
          "{5});\n"
          "  }}\n",
          s.rows, s.columns, P, a, size(s.degree), s.degree, t);
    } else if (e.operation == Operation::trace) {
      text_ += fmt::format(
          "  for (index i = 0; i < {0}; ++i) {1}_add({2} + {3} * i, {4}, 1, lane(1), {5}, {4});\n",
          e.parts[0].shape.rows, P, a, size(s.degree) * (e.parts[0].shape.rows + 1), s.degree, t);
    } else if (e.operation == Operation::determinant) {
      determinant(a, e.parts[0].shape.degree, t);
    } else if (e.operation == Operation::diagonal) {
      for (int i = 0; i < s.rows; ++i)
        accumulate(e.parts[static_cast<std::size_t>(i)], 1,
                   place(t, size(s.degree) * (s.rows + 1) * i), {1, 1, s.degree});
    } else if (e.operation == Operation::skew) {
      skew(a, s.degree, t);
    } else if (e.operation == Operation::stack) {
      int row = 0;
      for (const Expression& part : e.parts) {
        beside(part, s, row, t);
        row += part.shape.rows;
      }
    } else {
      accumulate(e, 1, t, s);
    }
    return t;
  }

  // Where element `at` of an array begins.
  static std::string place(const std::string& array, int at) {
    return at == 0 ? array : fmt::format("({} + {})", array, at);
  }

  // The parts of a row of matrices, into rows `row` and below of t.
  void beside(const Expression& e, const Shape& all, int row, const std::string& t) {
    const int pitch = size(all.degree);
    int column = 0;
    for (const Expression& part : e.parts) {
      const int at = pitch * (all.columns * row + column);
      column += part.shape.columns;
      if (part.shape.count() == 1) {
        accumulate(part, 1, place(t, at), {1, 1, all.degree});
        continue;
      }
      const std::string a = value(part);
      text_ += fmt::format(
          "  for (index i = 0; i < {}; ++i) {}_add({} + {} * i, {}, {}, lane(1), {} + {} * i, "
          "{});\n",
          part.shape.rows, problem_.name, a, size(part.shape.degree) * part.shape.columns,
          part.shape.degree, part.shape.columns, place(t, at), pitch * all.columns, all.degree);
    }
  }

  void skew(const std::string& a, int degree, const std::string& t) {
    text_ += fmt::format(
        "  for (index i = 0; i < 3; ++i) {{\n"
        "    const index j = (i + 1) % 3, k = (i + 2) % 3;\n"
        "    {0}_add({1} + {2} * i, {3}, 1, lane(1), {4} + {2} * (3 * k + j), {3});\n"
        "    {0}_add({1} + {2} * i, {3}, 1, lane(-1), {4} + {2} * (3 * j + k), {3});\n"
        "  }}\n",
        problem_.name, a, size(degree), degree, t);
  }

  [[nodiscard]] int unknown_place(const std::string& name) const {
    for (int k = 0; k < n_; ++k) {
      if (problem_.unknowns[static_cast<std::size_t>(k)] == name)
        return monomial_index(unknown_monomial(n_, k));
    }
    return -1;
  }

  std::string local(const Shape& shape) {
    const std::string t = fmt::format("v{}", next_++);
    const int count = shape.count() * size(shape.degree);
    text_ += fmt::format("  real {0}[{1}];\n  for (index i = 0; i < {1}; ++i) {0}[i] = lane(0);\n",
                         t, count);
    return t;
  }

  std::string named(const Expression& e) {
    const int unknown = unknown_place(e.name);
    if (unknown >= 0) {
      const std::string t = local(e.shape);
      text_ += fmt::format("  {}[{}] = lane(1);\n", t, unknown);
      return t;
    }
    int at = 0;
    for (const Datum& d : problem_.data) {
      if (d.name == e.name) return at == 0 ? "data" : fmt::format("(data + {})", at);
      at += d.shape.count();
    }
    return e.name;
  }

  void product(const Expression& e, long factor, const std::string& out) {
    const Expression &left = e.parts[0], &right = e.parts[1];
    const std::string a = value(left), b = value(right);
    const bool scalar = left.shape.count() == 1;
    // A scalar times a matrix is a column times a row.
    text_ += fmt::format("  {}_matrix_product_add({}, {}, {}, {}, {}, {}, {}, lane({}), {});\n",
                         problem_.name, a, left.shape.degree, b, right.shape.degree,
                         scalar ? 1 : left.shape.rows, scalar ? 1 : left.shape.columns,
                         scalar ? right.shape.count() : right.shape.columns, factor, out);
  }

  // The determinant along the first row.
  void determinant(const std::string& a, int degree, const std::string& t) {
    text_ += fmt::format(R"(  for (index j = 0; j < 3; ++j) {{
    const real* p = {1} + {2} * (3 + (j + 1) % 3);
    const real* q = {1} + {2} * (3 + (j + 2) % 3);
    real minor[{3}];
    for (index i = 0; i < {3}; ++i) minor[i] = lane(0);
    {0}_product_add(p, {4}, q + {5}, {4}, lane(1), minor);
    {0}_product_add(q, {4}, p + {5}, {4}, lane(-1), minor);
    {0}_product_add(minor, {6}, {1} + {2} * j, {4}, lane(1), {7});
  }}
)",
                         problem_.name, a, size(degree), size(2 * degree), degree, 3 * size(degree),
                         2 * degree, t);
  }

  const Problem& problem_;
  int n_, next_ = 0;
  std::string text_;
};

bool uses(const Expression& e, const std::string& name) {
  if (e.operation == Operation::name && e.name == name) return true;
  return std::any_of(e.parts.begin(), e.parts.end(),
                     [&](const Expression& part) { return uses(part, name); });
}

// The data and the definitions that an expression takes, as arguments behind the prefixes.
std::string taken(const Problem& problem, const Expression& e, const std::string& prefix) {
  std::string text;
  const bool data = std::any_of(problem.data.begin(), problem.data.end(),
                                [&](const Datum& d) { return uses(e, d.name); });
  if (data) text += prefix + "data, ";
  for (const Definition& let : problem.lets) {
    if (uses(e, let.name)) text += prefix + let.name + ", ";
  }
  return text;
}

}  // namespace

std::string emit_equations(const Problem& problem) {
  const std::string& P = problem.name;
  const int n = static_cast<int>(problem.unknowns.size());
  std::string functions, locals, calls;
  const auto function = [&](const std::string& name, const Definition& d, int degree) {
    Writer writer(problem);
    Shape shape = d.expression.shape;
    shape.degree = degree;
    writer.accumulate(d.expression, 1, "out", shape);
    functions += fmt::format(
        "// out += {}, of degree {}.\nlane_fn void {}({}real* out) {{\n{}}}\n\n", d.text, degree,
        name, taken(problem, d.expression, "const real* "), writer.text());
  };
  for (const Definition& let : problem.lets) {
    const Shape& s = let.expression.shape;
    const int count = s.count() * monomial_count(n, s.degree);
    const std::string name = fmt::format("{}_value_{}", P, let.name);
    function(name, let, s.degree);
    locals += fmt::format("  real {}[{}];\n", let.name, count);
    calls += fmt::format("  for (index i = 0; i < {0}; ++i) {1}[i] = lane(0);\n  {2}({3}{1});\n",
                         count, let.name, name, taken(problem, let.expression, ""));
  }
  const int size = monomial_count(n, problem.degree());
  int at = 0, number = 1;
  for (const Definition& e : problem.equations) {
    const std::string name = fmt::format("{}_equation_{}", P, number++);
    function(name, e, problem.degree());
    calls += fmt::format("  {}({}C + {});\n", name, taken(problem, e.expression, ""), at * size);
    at += e.expression.shape.count();
  }
  return functions +
         fmt::format(R"(// The coefficients C [{0}][{1}] of the equations, each of norm 1.
lane_fn void {2}_coefficients(const real* data, real* C) {{
{3}  for (index i = 0; i < {4}; ++i) C[i] = lane(0);
{5}  for (index i = 0; i < {0}; ++i) {{
    real sum = lane(0);
    for (index k = 0; k < {1}; ++k) sum += C[{1} * i + k] * C[{1} * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < {1}; ++k) C[{1} * i + k] = C[{1} * i + k] * scale;
  }}
}}

)",
                     at, size, P, locals, at * size, calls);
}

}  // namespace bifocal::generate
