// SPDX-License-Identifier: BSD-3-Clause
#include "generate/problem.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

namespace bifocal::generate {
namespace {

// A recursive descent: sum = term {(+|-) term}; term = factor {* factor}; factor = atom {'}.
class Parser {
 public:
  Parser(const Problem& problem, std::string_view text, std::string place)
      : problem_(problem), text_(text), place_(std::move(place)) {}

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

  Expression sum() {
    Expression left = product();
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
    while (take('*')) {
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
    if (word == "det" || word == "trace") return function(word);
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

  Expression function(const std::string& word) {
    expect('(');
    Expression inner = sum();
    expect(')');
    const Shape a = inner.shape;
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
    if (std::find(unknowns.begin(), unknowns.end(), word) != unknowns.end()) return {1, 1, 1};
    for (const Datum& d : problem_.data) {
      if (d.name == word) return d.shape;
    }
    for (const Definition& d : problem_.lets) {
      if (d.name == word) return d.expression.shape;
    }
    fail(fmt::format("'{}' is neither an unknown nor data nor defined above", word));
  }

  const Problem& problem_;
  std::string_view text_;
  std::string place_;
  std::size_t at_ = 0;
};

bool is_name(const std::string& word) {
  return !word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) &&
         std::all_of(word.begin(), word.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r");
  return begin == std::string::npos
             ? ""
             : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

Datum parse_datum(const std::string& text, const std::string& place) {
  std::istringstream words(text);
  Datum d;
  char cross = 0;
  std::string rest;
  words >> d.name >> d.shape.rows >> cross >> d.shape.columns;
  if (!words || cross != 'x' || words >> rest || !is_name(d.name) || d.shape.rows < 1 ||
      d.shape.columns < 1 || d.shape.rows > 16 || d.shape.columns > 16)
    throw Error(ErrorCode::input,
                fmt::format("{}: data: '{}' is not a name and a size such as 3x3", place, text));
  return d;
}

Definition parse_let(const Problem& problem, const std::string& text, const std::string& place) {
  const auto equals = text.find('=');
  const std::string name = trimmed(text.substr(0, equals));
  if (equals == std::string::npos || !is_name(name))
    throw Error(ErrorCode::input, fmt::format("{}: let: '{}' is not NAME = ...", place, text));
  const std::string value = trimmed(text.substr(equals + 1));
  return {name, value, Parser(problem, value, place).whole()};
}

void add_line(Problem& problem, const std::string& key, const std::string& value,
              const std::string& place) {
  if (key == "problem") {
    if (!is_name(value))
      throw Error(ErrorCode::input, fmt::format("{}: problem: '{}' is no name", place, value));
    problem.name = value;
  } else if (key == "about") {
    problem.about = value;
  } else if (key == "paper") {
    problem.papers.push_back(value);
  } else if (key == "note") {
    problem.notes.push_back(value);
  } else if (key == "unknowns") {
    std::istringstream words(value);
    for (std::string word; words >> word;) problem.unknowns.push_back(word);
    if (problem.unknowns.empty() || problem.unknowns.size() > 4)
      throw Error(ErrorCode::input, fmt::format("{}: unknowns: '{}' are not 1 to 4", place, value));
  } else if (key == "data") {
    problem.data.push_back(parse_datum(value, place));
  } else if (key == "let") {
    problem.lets.push_back(parse_let(problem, value, place));
  } else if (key == "zero") {
    problem.equations.push_back({"", value, Parser(problem, value, place).whole()});
  } else {
    throw Error(ErrorCode::input,
                fmt::format("{}: '{}' is none of problem, about, paper, note, unknowns, data, let, "
                            "zero",
                            place, key));
  }
}

}  // namespace

int Problem::data_count() const {
  int n = 0;
  for (const Datum& d : data) n += d.shape.count();
  return n;
}

int Problem::equation_count() const {
  int n = 0;
  for (const Definition& e : equations) n += e.expression.shape.count();
  return n;
}

int Problem::degree() const {
  int most = 0;
  for (const Definition& e : equations) most = std::max(most, e.expression.shape.degree);
  return most;
}

Problem parse_problem(std::string_view text, const std::string& file) {
  Problem problem;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto space = line.find_first_of(" \t");
    const std::string value = space == std::string::npos ? "" : trimmed(line.substr(space));
    add_line(problem, line.substr(0, space), value, fmt::format("{}:{}", file, number));
  }
  if (problem.name.empty()) throw Error(ErrorCode::input, file + ": no line 'problem NAME'");
  if (problem.unknowns.empty()) throw Error(ErrorCode::input, file + ": no line 'unknowns ...'");
  if (problem.equations.empty()) throw Error(ErrorCode::input, file + ": no line 'zero ...'");
  return problem;
}

}  // namespace bifocal::generate
