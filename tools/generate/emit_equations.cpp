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

  // Writes out += factor e.
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
    text_ += fmt::format("  poly_add({}, {}, {}, {}, lane({}), {}, {});\n", n_, a, shape.degree,
                         shape.count(), factor, out, out_shape.degree);
  }

  [[nodiscard]] int size(int degree) const { return monomial_count(n_, degree); }
  std::string text() { return text_; }

 private:
  // Returns the name of an array that holds the value of an expression.
  std::string value(const Expression& e) {
    if (e.operation == Operation::name) return named(e);
    if (e.operation == Operation::part)
      return place(value(e.parts[0]), size(e.shape.degree) * static_cast<int>(e.number));
    const bool inner = e.operation == Operation::transpose || e.operation == Operation::trace ||
                       e.operation == Operation::determinant || e.operation == Operation::skew;
    const std::string a = inner ? value(e.parts[0]) : "";
    if (e.operation == Operation::transpose && (e.shape.rows == 1 || e.shape.columns == 1))
      return a;
    const std::string t = local(e.shape);
    const Shape s = e.shape;
    if (e.operation == Operation::transpose) {
      text_ += fmt::format("  poly_transpose_add({}, {}, {}, {}, {}, {});\n", n_, a, s.degree,
                           s.columns, s.rows, t);
    } else if (e.operation == Operation::trace) {
      text_ += fmt::format(
          "  for (index i = 0; i < {0}; ++i) poly_add({1}, {2} + {3} * i, {4}, 1, lane(1), {5}, "
          "{4});\n",
          e.parts[0].shape.rows, n_, a, size(s.degree) * (e.parts[0].shape.rows + 1), s.degree, t);
    } else if (e.operation == Operation::determinant) {
      const int degree = e.parts[0].shape.degree;
      text_ +=
          fmt::format("  real minor{}[{}];\n  poly_determinant_add({}, {}, {}, minor{}, {});\n",
                      next_, size(2 * degree), n_, a, degree, next_, t);
    } else if (e.operation == Operation::skew) {
      text_ += fmt::format("  poly_skew_add({}, {}, {}, {});\n", n_, a, s.degree, t);
    } else if (e.operation == Operation::diagonal) {
      for (int i = 0; i < s.rows; ++i)
        accumulate(e.parts[static_cast<std::size_t>(i)], 1,
                   place(t, size(s.degree) * (s.rows + 1) * i), {1, 1, s.degree});
    } else if (e.operation == Operation::stack) {
      int row = 0;
      for (const Expression& part : e.parts) {
        write_row(part, s, row, t);
        row += part.shape.rows;
      }
    } else {
      accumulate(e, 1, t, s);
    }
    return t;
  }

  // Returns the address of element `at` of an array.
  static std::string place(const std::string& array, int at) {
    return at == 0 ? array : fmt::format("({} + {})", array, at);
  }

  // Writes the parts of a row of matrices into rows `row` and below of t.
  void write_row(const Expression& e, const Shape& all, int row, const std::string& t) {
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
          "  for (index i = 0; i < {}; ++i) poly_add({}, {} + {} * i, {}, {}, lane(1), {} + {} * "
          "i, "
          "{});\n",
          part.shape.rows, n_, a, size(part.shape.degree) * part.shape.columns, part.shape.degree,
          part.shape.columns, place(t, at), pitch * all.columns, all.degree);
    }
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
    text_ += fmt::format("  real {0}[{1}]; poly_clear({0}, {1});\n", t, count);
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
    // A scalar times a matrix is computed as a column times a row.
    const int inner = scalar ? 1 : left.shape.columns;
    text_ += fmt::format(
        "  poly_matrix_product_add({}, poly_matrix_of({}, {}, {}, {}),\n"
        "      poly_matrix_of({}, {}, {}, {}), lane({}), {});\n",
        n_, a, left.shape.degree, scalar ? 1 : left.shape.rows, inner, b, right.shape.degree, inner,
        scalar ? right.shape.count() : right.shape.columns, factor, out);
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

// Returns the data and the definitions that an expression uses, as arguments with the prefix.
std::string arguments_of(const Problem& problem, const Expression& e, const std::string& prefix) {
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
    functions += comment(fmt::format("out += {}, of degree {}.", d.text, degree), "");
    functions += fmt::format("lane_fn void {}({}real* out) {{\n{}}}\n\n", name,
                             arguments_of(problem, d.expression, "const real* "), writer.text());
  };
  for (const Definition& let : problem.lets) {
    const Shape& s = let.expression.shape;
    const int count = s.count() * monomial_count(n, s.degree);
    const std::string name = fmt::format("{}_value_{}", P, let.name);
    function(name, let, s.degree);
    locals += fmt::format("  real {}[{}];\n", let.name, count);
    calls += fmt::format("  poly_clear({0}, {1});\n  {2}({3}{0});\n", let.name, count, name,
                         arguments_of(problem, let.expression, ""));
  }
  const int size = monomial_count(n, problem.degree());
  int at = 0, number = 1;
  for (const Definition& e : problem.equations) {
    const std::string name = fmt::format("{}_equation_{}", P, number++);
    function(name, e, problem.degree());
    calls +=
        fmt::format("  {}({}D + {});\n", name, arguments_of(problem, e.expression, ""), at * size);
    at += e.expression.shape.count();
  }
  return functions + fmt::format(
                         "// The equations D [{}][{}].\n"
                         "lane_fn void {}_equations(const real* data, real* D) {{\n"
                         "{}  poly_clear(D, {});\n{}}}\n\n",
                         at, size, P, locals, at * size, calls);
}

}  // namespace bifocal::generate
