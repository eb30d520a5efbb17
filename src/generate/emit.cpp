// SPDX-License-Identifier: BSD-3-Clause
#include "generate/emit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace bifocal::generate {
namespace {

// The text as comment lines of at most 98 characters.
std::string comment(const std::string& text, const std::string& indent) {
  std::string out, line = "// " + indent;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (line.size() + word.size() > 98) {
      line.pop_back();
      out += line + "\n";
      line = "// " + indent;
    }
    line += word + " ";
    at = end + 1;
  }
  line.pop_back();
  return out + line + "\n";
}

// The text with lines of code of at most 100 characters, broken behind commas.
std::string wrapped(const std::string& text) {
  std::string out, line;
  std::istringstream lines(text);
  while (std::getline(lines, line)) {
    const std::string indent(
        line.find_first_not_of(' ') == std::string::npos ? 0 : line.find_first_not_of(' ') + 4,
        ' ');
    while (line.size() > 100) {
      std::size_t at = line.rfind(", ", 98);
      if (at == std::string::npos || at < indent.size()) at = line.rfind(" {", 98);
      if (at == std::string::npos || at < indent.size()) break;
      out += line.substr(0, at + (line[at] == ',' ? 1 : 2)) + "\n";
      line = indent + line.substr(at + 2);
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace

std::string monomial_loops(int unknowns, const std::string& prefix, const std::string& degree,
                           const std::string& indent) {
  std::string text, bound = degree;
  for (int k = 1; k <= unknowns; ++k) {
    const std::string t = prefix + std::to_string(k);
    text += fmt::format("{2}for (index {0} = 0; {0} <= {1}; ++{0})", t, bound,
                        k > 1 ? "\n" + indent : "");
    bound = t;
  }
  return text;
}

std::string index_table(const std::string& name, const std::vector<int>& values) {
  std::string out = fmt::format("  const index {}[{}] = {{", name, values.size());
  std::size_t width = out.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string word = fmt::format("{}{}", values[i], i + 1 < values.size() ? "," : "};");
    if (width + word.size() > 98) {
      out += "\n     ";
      width = 5;
    }
    out += (i > 0 ? " " : "") + word;
    width += word.size() + 1;
  }
  return out + "\n";
}

std::string action_name(const Problem& problem, const Template& t) {
  return (t.action.inverse ? "1/" : "") +
         problem.unknowns[static_cast<std::size_t>(t.action.unknown)];
}

std::string emit_head(const Problem& problem, const Template& t, int roots) {
  std::string text = "// SPDX-License-Identifier: BSD-3-Clause\n";
  text += comment(problem.about, "");
  for (const std::string& paper : problem.papers) text += comment(paper, "  ");
  for (const std::string& note : problem.notes) text += comment(note, "");
  text += comment(
      fmt::format("This file was written by bifocal-generate from {}.problem: {} roots, a template "
                  "of {} x {}, multiplication by {}.",
                  problem.name, roots, t.rows.size(), t.rows.size() + t.basis.size(),
                  action_name(problem, t)),
      "");
  text += comment("Unknowns: " + fmt::format("{}", fmt::join(problem.unknowns, ", ")) + ".", "");
  for (const Definition& let : problem.lets) text += comment(let.name + " = " + let.text, "  ");
  for (const Definition& e : problem.equations) text += comment(e.text + " = 0", "  ");
  std::string data;
  for (const Datum& d : problem.data)
    data += fmt::format("{} [{}][{}], ", d.name, d.shape.rows, d.shape.columns);
  if (!data.empty()) text += comment("The data are " + data + "one after the other.", "");
  return text + "\n";
}

std::string emit_polynomials(const Problem& problem) {
  const int n = static_cast<int>(problem.unknowns.size());
  const std::string& P = problem.name;
  std::string parameters, place, sums, size;
  for (int k = 1; k <= n; ++k) {
    parameters += fmt::format("{}index t{}", k > 1 ? ", " : "", k);
    sums += fmt::format("{0}s{1} + t{1}", k > 1 ? ", " : "", k);
    std::string term;
    int divisor = 1;
    for (int i = 0; i <= n - k; ++i) {
      term += i == 0 ? fmt::format("t{}", k) : fmt::format(" * (t{} + {})", k, i);
      divisor *= i + 1;
    }
    place += fmt::format("{}{}{}", k > 1 ? " + " : "", term,
                         divisor > 1 ? fmt::format(" / {}", divisor) : "");
  }
  int divisor = 1;
  for (int i = 1; i <= n; ++i) {
    size += fmt::format("{}(degree + {})", i > 1 ? " * " : "", i);
    divisor *= i;
  }
  std::string text = comment(
      fmt::format("Polynomials in {} begin with their terms of lowest degree, so that those of a "
                  "low degree are the beginning of those of a higher one. The tails t1 >= t2 >= "
                  "... of a monomial are the sums of its exponents from an unknown on; this is its "
                  "place.",
                  fmt::join(problem.unknowns, ", ")),
      "");
  text += fmt::format("lane_fn index {}_place({}) {{\n  return {};\n}}\n\n", P, parameters, place);
  text += "// The number of coefficients.\n";
  text += fmt::format("lane_fn index {}_size(index degree) {{\n  return {} / {};\n}}\n\n", P, size,
                      divisor);
  text += fmt::format(R"(// out += factor a: count polynomials of a degree, in out of another one.
lane_fn void {0}_add(const real* a, index degree, index count, real factor, real* out, index out_degree) {{
  const index n = {0}_size(degree), pitch = {0}_size(out_degree);
  for (index i = 0; i < count; ++i) {{
    for (index k = 0; k < n; ++k) out[pitch * i + k] += factor * a[n * i + k];
  }}
}}

// out += factor a b.
lane_fn void {0}_product_add(const real* a, index a_degree, const real* b, index b_degree, real factor, real* out) {{
  index i = 0;
  {1} {{
    real f = factor * a[i++];
    index j = 0;
    {2} {{
      out[{0}_place({3})] += f * b[j++];
    }}
  }}
}}

// out += factor A B, matrices of polynomials.
lane_fn void {0}_matrix_product_add(const real* A, index a_degree, const real* B, index b_degree, index rows, index inner, index columns, real factor, real* out) {{
  const index a = {0}_size(a_degree), b = {0}_size(b_degree), c = {0}_size(a_degree + b_degree);
  for (index i = 0; i < rows; ++i) {{
    for (index j = 0; j < columns; ++j) {{
      for (index k = 0; k < inner; ++k)
        {0}_product_add(A + a * (inner * i + k), a_degree, B + b * (columns * k + j), b_degree, factor, out + c * (columns * i + j));
    }}
  }}
}}

)",
                      P, monomial_loops(n, "s", "a_degree", "  "),
                      monomial_loops(n, "t", "b_degree", "    "), sums);
  return text;
}

std::string emit_solver(const Problem& problem, const Template& t, int roots) {
  const std::string body = emit_polynomials(problem) + emit_equations(problem) +
                           emit_elimination(problem, t) + emit_solutions(problem, t);
  return emit_head(problem, t, roots) + "// clang-format off\n\n" + wrapped(body);
}

}  // namespace bifocal::generate
