// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "generate/problem.hpp"

namespace bifocal::generate {
namespace {

// A recursive descent parser: sum = [-] term {(+|-) term}; term = factor {(*|/) factor}; factor =
// atom {'}; atom = number, name, function, (sum) or [sum, ...; ...].
class Parser {
 public:
  Parser(const Problem& problem, std::string_view text, std::string place, bool in_data)
      : problem_(problem), text_(text), place_(std::move(place)), in_data_(in_data) {}

  Expression whole() {
    Expression e = sum();
    if (peek() != '\0') fail(fmt::format("'{}' is not expected here", text_.substr(at_)));
    return e;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCode::input, place_ + ": " + why);
  }
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(fmt::format("'{}' is missing at '{}'", c, text_.substr(at_)));
  }

  Expression negative(Expression e) {
    const Shape shape = e.shape;
    Expression minus;
    minus.number = -1;
    return {Operation::product, 0, "", {std::move(minus), std::move(e)}, shape};
  }

  Expression sum() {
    Expression left = take('-') ? negative(product()) : product();
    while (peek() == '+' || peek() == '-') {
      const Operation operation = take('+') ? Operation::sum : Operation::difference;
      if (operation == Operation::difference) expect('-');
      Expression right = product();
      Shape shape = left.shape;
      if (shape.rows != right.shape.rows || shape.columns != right.shape.columns)
        fail(fmt::format("{}x{} and {}x{} cannot be added", shape.rows, shape.columns,
                         right.shape.rows, right.shape.columns));
      shape.degree = std::max(shape.degree, right.shape.degree);
      left = {operation, 0, "", {std::move(left), std::move(right)}, shape};
    }
    return left;
  }

  Expression product() {
    Expression left = factor();
    while (peek() == '*' || peek() == '/') {
      if (take('/')) {
        left = quotient(std::move(left), factor());
        continue;
      }
      expect('*');
      Expression right = factor();
      const Shape a = left.shape, b = right.shape;
      Shape shape{a.rows, b.columns, a.degree + b.degree};
      if (a.count() == 1) shape.rows = b.rows;
      if (a.count() > 1 && a.columns != b.rows)
        fail(fmt::format("{}x{} and {}x{} cannot be multiplied", a.rows, a.columns, b.rows,
                         b.columns));
      left = {Operation::product, 0, "", {std::move(left), std::move(right)}, shape};
    }
    return left;
  }

  Expression quotient(Expression a, Expression b) {
    if (!in_data_) fail("data alone may be divided; multiply an equation by the divisor");
    if (b.shape.count() != 1)
      fail(fmt::format("the divisor is {}x{}, not a scalar", b.shape.rows, b.shape.columns));
    const Shape shape = a.shape;
    return {Operation::quotient, 0, "", {std::move(a), std::move(b)}, shape};
  }

  Expression factor() {
    Expression e = atom();
    while (take('\'')) {
      const Shape shape{e.shape.columns, e.shape.rows, e.shape.degree};
      e = {Operation::transpose, 0, "", {std::move(e)}, shape};
    }
    return e;
  }

  Expression atom() {
    if (take('(')) {
      Expression e = sum();
      expect(')');
      return e;
    }
    if (take('[')) return stacked();
    const std::size_t begin = (peek(), at_);
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word.empty()) fail(fmt::format("an operand is missing at '{}'", text_.substr(begin)));
    if (std::isdigit(static_cast<unsigned char>(word[0]))) {
      Expression e;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), e.number);
      if (error != std::errc() || end != word.data() + word.size() || e.number > 1000000)
        fail(fmt::format("'{}' is not a whole number up to 1000000", word));
      return e;
    }
    if (word == "diag") return diagonal();
    if (word == "row" || word == "element") return part(word);
    if (word == "det" || word == "trace" || word == "skew") return function(word);
    return {Operation::name, 0, word, {}, shape_of(word)};
  }

  Expression diagonal() {
    expect('(');
    Expression e{Operation::diagonal, 0, "", {}, {0, 0, 0}};
    do {
      e.parts.push_back(sum());
      const Shape& part = e.parts.back().shape;
      if (part.count() != 1)
        fail(fmt::format("diag takes scalars, not {}x{}", part.rows, part.columns));
      e.shape.degree = std::max(e.shape.degree, part.degree);
    } while (take(','));
    expect(')');
    e.shape.rows = e.shape.columns = static_cast<int>(e.parts.size());
    return e;
  }

  // Parses a block matrix: matrices in a row separated by commas, rows by semicolons.
  Expression stacked() {
    Expression all{Operation::stack, 0, "", {}, {0, 0, 0}};
    do {
      Expression row{Operation::row, 0, "", {}, {0, 0, 0}};
      do {
        row.parts.push_back(sum());
        const Shape& part = row.parts.back().shape;
        if (row.shape.columns > 0 && part.rows != row.shape.rows)
          fail(fmt::format("matrices of {} and {} rows cannot be in one row", row.shape.rows,
                           part.rows));
        row.shape = {part.rows, row.shape.columns + part.columns,
                     std::max(row.shape.degree, part.degree)};
      } while (take(','));
      if (all.shape.rows > 0 && row.shape.columns != all.shape.columns)
        fail(fmt::format("rows of {} and {} columns cannot be stacked", all.shape.columns,
                         row.shape.columns));
      all.shape = {all.shape.rows + row.shape.rows, row.shape.columns,
                   std::max(all.shape.degree, row.shape.degree)};
      all.parts.push_back(std::move(row));
    } while (take(';'));
    expect(']');
    return all;
  }

  // Parses a number from 1 to `most`; returns it minus 1.
  long place_up_to(int most) {
    expect(',');
    const Expression e = atom();
    if (e.operation != Operation::number || e.number < 1 || e.number > most)
      fail(fmt::format("row and element count from 1 to {} here", most));
    return e.number - 1;
  }

  Expression part(const std::string& word) {
    expect('(');
    Expression all = sum();
    const Shape a = all.shape;
    long first = place_up_to(a.rows) * a.columns;
    if (word == "element") first += place_up_to(a.columns);
    expect(')');
    const Shape shape{1, word == "row" ? a.columns : 1, a.degree};
    return {Operation::part, first, "", {std::move(all)}, shape};
  }

  Expression function(const std::string& word) {
    expect('(');
    Expression inner = sum();
    expect(')');
    const Shape a = inner.shape;
    if (word == "skew") {
      if (a.count() != 3)
        fail(fmt::format("skew takes a vector of 3, not {}x{}", a.rows, a.columns));
      return {Operation::skew, 0, "", {std::move(inner)}, {3, 3, a.degree}};
    }
    const bool determinant = word == "det";
    if (a.rows != a.columns || (determinant && a.rows != 3))
      fail(fmt::format("{} takes a {} matrix, not {}x{}", word, determinant ? "3x3" : "square",
                       a.rows, a.columns));
    const Shape shape{1, 1, determinant ? 3 * a.degree : a.degree};
    return {
        determinant ? Operation::determinant : Operation::trace, 0, "", {std::move(inner)}, shape};
  }

  Shape shape_of(const std::string& word) {
    const auto& unknowns = problem_.unknowns;
    if (std::find(unknowns.begin(), unknowns.end(), word) != unknowns.end()) {
      if (in_data_) fail(fmt::format("'{}' is an unknown: data cannot depend on it", word));
      return {1, 1, 1};
    }
    for (const Datum& d : problem_.data) {
      if (d.name == word) return d.shape;
    }
    for (const Definition& d : problem_.lets) {
      if (d.name == word) return d.expression.shape;
    }
    for (const Datum& d : problem_.randoms) {
      if (d.name == word && in_data_) return d.shape;
      if (d.name == word)
        fail(fmt::format("'{}' is a random number: only data may depend on it", word));
    }
    fail(fmt::format("'{}' is neither an unknown nor data nor defined above", word));
  }

  const Problem& problem_;
  std::string_view text_;
  std::string place_;
  std::size_t at_ = 0;
  bool in_data_;
};

}  // namespace

Expression parse_expression(const Problem& problem, std::string_view text, const std::string& place,
                            bool in_data) {
  return Parser(problem, text, place, in_data).whole();
}

}  // namespace bifocal::generate
