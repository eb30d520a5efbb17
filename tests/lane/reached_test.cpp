// SPDX-License-Identifier: BSD-3-Clause
// No lane or group function is out of reach of the tests: calls lead to it from a case here, from a
// solver of the list, from a kernel or from host code, whose rooms compare devices themselves.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return std::regex_replace(text, std::regex("//[^\n]*"), "");
}

// What is behind the name of each function, up to the next one.
void add_functions(const std::string& text, std::map<std::string, std::string>& functions) {
  static const std::regex definition(R"(\b(?:lane|group)_fn\s[\w\s*]*?\b(\w+)\s*\()");
  std::string name;
  auto start = text.begin();
  for (std::sregex_iterator m(text.begin(), text.end(), definition), end; m != end; ++m) {
    if (!name.empty()) functions[name].append(start, (*m)[0].first);
    name = (*m)[1];
    start = (*m)[0].second;
  }
  if (!name.empty()) functions[name].append(start, text.end());
}

TEST(LaneFiles, every_function_is_reached_by_calls) {
  std::map<std::string, std::string> functions;
  std::vector<std::string> todo;
  std::vector<std::string> paths;
  for (const char* folder : {"/src", "/bench/seeds"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(BIFOCAL_SOURCE_DIR + std::string(folder)))
      paths.push_back(entry.path().string());
  }
  for (const std::string& path : paths) {
    if (path.ends_with(".lane.h") || path.ends_with(".group.h")) {
      add_functions(read(path), functions);
    } else if (path.ends_with(".kernel.h") || path.ends_with(".cpp") || path.ends_with(".hpp")) {
      todo.push_back(read(path));
    }
  }
  for (const char* list :
       {"/tests/lane/cases.lane.h", "/tests/lane/cases.group.h", "/include/bifocal/solvers.def"})
    todo.push_back(read(BIFOCAL_SOURCE_DIR + std::string(list)));
  ASSERT_FALSE(functions.empty());
  std::set<std::string> reached;
  static const std::regex word(R"(\w+)");
  while (!todo.empty()) {
    const std::string text = std::move(todo.back());
    todo.pop_back();
    for (std::sregex_iterator m(text.begin(), text.end(), word), end; m != end; ++m) {
      const auto function = functions.find(m->str());
      if (function != functions.end() && reached.insert(function->first).second)
        todo.push_back(function->second);
    }
  }
  for (const auto& [name, text] : functions)
    EXPECT_TRUE(reached.contains(name)) << name << " is called by nothing that a test runs";
}

}  // namespace
