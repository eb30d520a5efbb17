// SPDX-License-Identifier: BSD-3-Clause
#include "generate/emit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace bifocal::generate {
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

std::string emit_head(const Problem& problem, const Template& t, int roots, bool stopped) {
  std::string text = "// SPDX-License-Identifier: BSD-3-Clause\n";
  text += comment(problem.about, "");
  for (const std::string& paper : problem.papers) text += comment(paper, "  ");
  for (const std::string& note : problem.notes) text += comment(note, "");
  text += comment(
      fmt::format("This file was written by bifocal-generate from {}.problem: {} roots, a template "
                  "of {} x {}, multiplication by {}{}.",
                  problem.name, roots, t.rows.size(), t.rows.size() + t.basis.size(),
                  action_name(problem, t.action),
                  problem.hidden_vectors
                      ? fmt::format(", eigenvectors by {0} x {0} polynomials", t.reducible.size())
                      : ""),
      "");
  if (stopped) text += comment("The search was stopped: a smaller template may exist.", "");
  text += comment("Unknowns: " + fmt::format("{}", fmt::join(problem.unknowns, ", ")) + ".", "");
  for (const Definition& let : problem.lets) text += comment(let.name + " = " + let.text, "  ");
  for (const Definition& e : problem.equations) text += comment(e.text + " = 0", "  ");
  std::string data;
  for (const Datum& d : problem.data)
    data += fmt::format("{} [{}][{}], ", d.name, d.shape.rows, d.shape.columns);
  if (!data.empty()) text += comment("The data are " + data + "one after the other.", "");
  return text + "\n";
}

std::string emit_solver(const Problem& problem, const Template& t, int roots,
                        const std::vector<int>& used, bool stopped) {
  const std::string body = emit_equations(problem) + emit_roots(problem, t, used);
  return emit_head(problem, t, roots, stopped) + "// clang-format off\n\n" + wrapped(body);
}

}  // namespace bifocal::generate
