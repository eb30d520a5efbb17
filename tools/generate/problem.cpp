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

Datum parse_datum(const std::string& key, const std::string& text, const std::string& place) {
  std::istringstream words(text);
  Datum d;
  char cross = 0;
  std::string rest;
  words >> d.name >> d.shape.rows >> cross >> d.shape.columns;
  if (!words || cross != 'x' || words >> rest || !is_name(d.name) || d.shape.rows < 1 ||
      d.shape.columns < 1 || d.shape.rows > 16 || d.shape.columns > 16)
    throw Error(ErrorCode::input,
                fmt::format("{}: {}: '{}' is not a name and a size such as 3x3", place, key, text));
  return d;
}

Definition parse_definition(const Problem& problem, const std::string& key, const std::string& text,
                            const std::string& place) {
  const auto equals = text.find('=');
  const std::string name = trimmed(text.substr(0, equals));
  if (equals == std::string::npos || !is_name(name))
    throw Error(ErrorCode::input, fmt::format("{}: {}: '{}' is not NAME = ...", place, key, text));
  const std::string value = trimmed(text.substr(equals + 1));
  return {name, value, parse_expression(problem, value, place, key != "let")};
}

// Adds random numbers or data: of a given size, or computed from an expression.
void add_numbers(Problem& problem, const std::string& key, const std::string& text,
                 const std::string& place) {
  auto& list = key == "data" ? problem.data : problem.randoms;
  if (text.find('=') == std::string::npos) {
    list.push_back(parse_datum(key, text, place));
    return;
  }
  Definition made = parse_definition(problem, key, text, place);
  list.push_back({made.name, made.expression.shape, std::move(made.expression)});
}

int unknown_of(const Problem& problem, const std::string& word, const std::string& key,
               const std::string& place) {
  const auto at = std::find(problem.unknowns.begin(), problem.unknowns.end(), word);
  if (at == problem.unknowns.end())
    throw Error(ErrorCode::input, fmt::format("{}: {}: '{}' is not an unknown", place, key, word));
  return static_cast<int>(at - problem.unknowns.begin());
}

void add_nonzero(Problem& problem, const std::string& text, const std::string& place) {
  std::istringstream words(text);
  for (std::string word; words >> word;)
    problem.nonzero.push_back(unknown_of(problem, word, "nonzero", place));
}

void add_actions(Problem& problem, const std::string& text, const std::string& place) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool inverse = word.rfind("1/", 0) == 0;
    problem.actions.push_back(
        {unknown_of(problem, word.substr(inverse ? 2 : 0), "action", place), inverse});
  }
}

std::uint64_t parse_seed(const std::string& text, const std::string& place) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(ErrorCode::input, fmt::format("{}: seed: '{}' is not a whole number", place, text));
  return seed;
}

void add_line(Problem& problem, const std::string& key, const std::string& value,
              const std::string& place) {
  if (key == "problem") {
    if (!is_name(value))
      throw Error(ErrorCode::input, fmt::format("{}: problem: '{}' is not a name", place, value));
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
    if (problem.unknowns.empty() || problem.unknowns.size() > 5)
      throw Error(ErrorCode::input, fmt::format("{}: unknowns: '{}' are not 1 to 5", place, value));
  } else if (key == "data" || key == "random") {
    add_numbers(problem, key, value, place);
  } else if (key == "nonzero") {
    add_nonzero(problem, value, place);
  } else if (key == "action") {
    add_actions(problem, value, place);
  } else if (key == "seed") {
    problem.seed = parse_seed(value, place);
  } else if (key == "vectors") {
    if (value != "hidden")
      throw Error(ErrorCode::input,
                  fmt::format("{}: vectors: '{}' must be 'hidden'", place, value));
    problem.hidden_vectors = true;
  } else if (key == "let") {
    problem.lets.push_back(parse_definition(problem, key, value, place));
  } else if (key == "zero") {
    problem.equations.push_back({"", value, parse_expression(problem, value, place, false)});
  } else {
    throw Error(ErrorCode::input,
                fmt::format("{}: '{}' is none of problem, about, paper, note, unknowns, random, "
                            "data, let, zero, nonzero, action, vectors, seed",
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

std::string action_name(const Problem& problem, Action action) {
  return (action.inverse ? "1/" : "") + problem.unknowns[static_cast<std::size_t>(action.unknown)];
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
