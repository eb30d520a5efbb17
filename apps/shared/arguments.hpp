// SPDX-License-Identifier: BSD-3-Clause
// Command-line arguments of a program. Only arguments.cpp includes CLI11, whose headers take
// seconds to compile.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <bifocal/fields.hpp>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace bifocal::cli {

// One option or positional argument. The handle can be copied.
class Option {
 public:
  Option required() const;
  // Accepts a decimal number in the range, or one of its words.
  Option in_range(const Range& range) const;
  // Accepts an unsigned 64-bit number.
  Option whole_number() const;
  Option one_of(const std::vector<std::string>& words) const;
  // Accepts one of the words, an existing file or folder, or any path with a dot or slash, whose
  // reader reports that it is missing.
  Option word_or_path(const std::vector<std::string>& words) const;
  // Accepts a number of bytes with or without a unit: 500M, 2G.
  Option size_in_bytes() const;
  // Shows the current value of the variable as the default in --help.
  Option shows_default() const;
  // Uses the value of this environment variable if the option is not given.
  Option environment(const std::string& variable) const;
  Option needs(const Option& other) const;
  Option excludes(const Option& other) const;

  [[nodiscard]] bool given() const;
  [[nodiscard]] std::string name() const;
  // The words of one_of() or of a range with words; empty without.
  [[nodiscard]] static const std::vector<std::string>& words_of(const CLI::Option* option);

 private:
  friend class Command;
  explicit Option(CLI::Option* option) : option_(option) {}
  CLI::Option* option_;
};

// One command of the program. The handle can be copied.
class Command {
 public:
  // Adds an option. `name` is "--name", or "NAME" for a positional argument. The argument is parsed
  // into `value`: std::string, a list of strings, int, float, double, std::int64_t, std::uint64_t
  // or std::optional<int>.
  template <class T>
  Option option(const std::string& name, T& value, const std::string& help) const;
  Option flag(const std::string& name, bool& value, const std::string& help) const;
  // Adds a flag that sets the value to false.
  void off_flag(const std::string& name, bool& value, const std::string& help) const;
  // Adds an option whose argument is one of the range's words; `set` receives its number. `now` is
  // the default.
  Option choice(const std::string& name, const Range& range, std::function<void(int)> set, int now,
                const std::string& help) const;
  // Returns an option that was added earlier.
  [[nodiscard]] Option get(const std::string& name) const;
  // An option of earlier versions: using it is an error that names the present one.
  void renamed(const std::string& before, const std::string& now) const;
  // Adds a check that runs after the arguments of the command are parsed; may throw Error(usage).
  void after_parsing(std::function<void()> check) const;
  // Sets the work of the command, which runs last.
  void runs(std::function<void()> body) const;

 private:
  friend class Program;
  friend class HelpGroup;
  explicit Command(CLI::App* app) : app_(app) {}
  CLI::App* app_;
};

// Options that are added during its life stand under `heading` in --help, unless it is empty.
class HelpGroup {
 public:
  HelpGroup(const Command& command, const std::string& heading);
  ~HelpGroup();
  HelpGroup(const HelpGroup&) = delete;
  HelpGroup& operator=(const HelpGroup&) = delete;

 private:
  CLI::App* app_;
  std::string before_;
};

class Program {
 public:
  Program(const std::string& name, const std::string& description, const std::string& version,
          const std::string& footer);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] Command command(const std::string& name, const std::string& description);
  // Makes a program without commands, whose arguments follow the program name.
  [[nodiscard]] Command only_command();
  // Parses the arguments and runs the chosen command; --help, --version and a call without
  // arguments print text instead. Throws Error(usage), with a reference to --help, for invalid
  // arguments.
  void run(int argc, char** argv);
  // A script for bash that completes commands, options and the words of an option.
  [[nodiscard]] std::string bash_completion() const;
  // A page for man(1), made from the help texts.
  [[nodiscard]] std::string man_page(const std::string& version) const;

 private:
  void print_help(int argc, char** argv) const;  // of the program, or of the command argv[2]

  std::unique_ptr<CLI::App> app_;
};

}  // namespace bifocal::cli
