// SPDX-License-Identifier: BSD-3-Clause
// Lane files as one OpenCL C text: the #include lines of a list are replaced by the files they
// name.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace bifocal::test {

// `name` relative to src/ or tests/.
inline std::string expand_includes(const std::string& name) {
  std::filesystem::path file = std::filesystem::path(BIFOCAL_SOURCE_DIR) / "src" / name;
  if (!std::filesystem::exists(file))
    file = std::filesystem::path(BIFOCAL_SOURCE_DIR) / "tests" / name;
  std::ifstream in(file);
  if (!in) throw std::runtime_error("no lane file " + name);
  std::ostringstream out;
  int number = 0;
  out << "#line 1 \"" << name << "\"\n";
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("#include \"")) {
      const auto end = line.find('"', 10);
      out << expand_includes(line.substr(10, end - 10)) << "#line " << number + 1 << " \"" << name
          << "\"\n";
    } else {
      out << line << '\n';
    }
  }
  return out.str();
}

}  // namespace bifocal::test
