// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <bifocal/error.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace bifocal::cli {
namespace {

// 010 and 0x10, which would be read as octal and hexadecimal.
bool has_base(const std::string& text) {
  const std::size_t at = text.find_first_not_of("+-");
  return at + 1 < text.size() && text[at] == '0' &&
         std::isalnum(static_cast<unsigned char>(text[at + 1])) != 0 && text[at + 1] != 'e';
}

CLI::Validator whole_number_check() {
  return {[](std::string& text) {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            if (text.empty() || stop != end || has_base(text))
              return fmt::format("{} is not a whole number", text);
            return error == std::errc()
                       ? std::string()
                       : fmt::format("{} is out of range: must be below 2^64", text);
          },
          ""};
}

CLI::Validator range_check(const Range& range) {
  return {[range](std::string& text) {
            double value = std::numeric_limits<double>::quiet_NaN();
            if (has_base(text) || !CLI::detail::lexical_cast(text, value))
              return fmt::format("{} is not a number", text);
            return range.contains(value)
                       ? std::string()
                       : fmt::format("{} is out of range: {}", text, to_string(range));
          },
          to_string(range)};
}

// Words of the options that take one of several words, for completion.
std::map<const CLI::Option*, std::vector<std::string>>& words() {
  static std::map<const CLI::Option*, std::vector<std::string>> all;
  return all;
}

// Present names of the options of earlier versions.
std::map<std::string, std::string>& renamed_options(const CLI::App* command) {
  static std::map<const CLI::App*, std::map<std::string, std::string>> all;
  return all[command];
}

// Number of insertions, deletions and replacements of letters between two words.
std::size_t distance_of(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// "; did you mean WORD?" if one of the words differs by at most two letters and a third of `typed`.
std::string suggestion(const std::string& typed, const std::vector<std::string>& known) {
  std::string best;
  std::size_t nearest = std::min<std::size_t>(2, typed.size() / 3) + 1;
  for (const std::string& word : known)
    if (const std::size_t d = distance_of(typed, word); d < nearest) nearest = d, best = word;
  return best.empty() ? best : fmt::format("; did you mean {}?", best);
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}
std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_positional()) flags.push_back("--" + option->get_lnames().front());
  return flags;
}

CLI::Validator word_check(const std::vector<std::string>& words, const std::string& description) {
  return {[words](std::string& text) {
            return std::ranges::find(words, text) != words.end()
                       ? std::string()
                       : fmt::format("{} not in {{{}}}{}", text, fmt::join(words, ","),
                                     suggestion(text, words));
          },
          description};
}

// Rejects negative numbers, because CLI::AsSizeValue reads -1 as the largest number. Must run
// before it.
std::string refuse_sign(const std::string& text) {
  return text.starts_with('-') ? fmt::format("{} is negative", text) : std::string();
}

}  // namespace

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::in_range(const Range& range) const {
  if (range.words.empty()) {
    option_->check(range_check(range));
    return *this;
  }
  const std::vector<std::string> choices(range.words.begin(), range.words.end());
  option_->check(word_check(choices, to_string(range)));
  words()[option_] = choices;
  return *this;
}

Option Option::whole_number() const {
  option_->check(whole_number_check());
  return *this;
}

Option Option::one_of(const std::vector<std::string>& choices) const {
  option_->check(word_check(choices, ""));
  words()[option_] = choices;
  return *this;
}

Option Option::word_or_path(const std::vector<std::string>& choices) const {
  option_->check(CLI::Validator(
      [choices](std::string& text) {
        const bool is_path = text.find_first_of("./") != std::string::npos;
        std::error_code none;
        if (is_path || std::ranges::find(choices, text) != choices.end() ||
            std::filesystem::exists(text, none))
          return std::string();
        return fmt::format("{} not in {{{}}}, and there is no such file or folder{}", text,
                           fmt::join(choices, ","), suggestion(text, choices));
      },
      ""));
  words()[option_] = choices;
  return *this;
}

Option Option::size_in_bytes() const {
  option_->transform(CLI::AsSizeValue(false).description(""));
  option_->transform(CLI::Validator(refuse_sign, ""));
  return *this;
}

Option Option::shows_default() const {
  option_->capture_default_str();
  return *this;
}

Option Option::environment(const std::string& variable) const {
  option_->envname(variable);
  return *this;
}

Option Option::needs(const Option& other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::excludes(const Option& other) const {
  option_->excludes(other.option_);
  return *this;
}

bool Option::given() const { return option_->count() > 0; }

std::string Option::name() const { return option_->get_name(); }

const std::vector<std::string>& Option::words_of(const CLI::Option* option) {
  static const std::vector<std::string> none;
  const auto found = words().find(option);
  return found == words().end() ? none : found->second;
}

template <class T>
Option Command::option(const std::string& name, T& value, const std::string& help) const {
  return Option(app_->add_option(name, value, help));
}
template Option Command::option(const std::string&, std::string&, const std::string&) const;
template Option Command::option(const std::string&, std::vector<std::string>&,
                                const std::string&) const;
template Option Command::option(const std::string&, int&, const std::string&) const;
template Option Command::option(const std::string&, float&, const std::string&) const;
template Option Command::option(const std::string&, double&, const std::string&) const;
template Option Command::option(const std::string&, std::int64_t&, const std::string&) const;
template Option Command::option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<int>&, const std::string&) const;

Option Command::flag(const std::string& name, bool& value, const std::string& help) const {
  return Option(app_->add_flag(name, value, help));
}

void Command::off_flag(const std::string& name, bool& value, const std::string& help) const {
  app_->add_flag_callback(
      name, [&value] { value = false; }, help);
}

Option Command::choice(const std::string& name, const Range& range, std::function<void(int)> set,
                       int now, const std::string& help) const {
  const auto words = range.words;
  CLI::Option* const option = app_->add_option_function<std::string>(
      name,
      [words, set = std::move(set)](const std::string& word) {
        set(static_cast<int>(std::ranges::find(words, word) - words.begin()));
      },
      help);
  option->default_str(std::string(words[static_cast<std::size_t>(now)]));
  return Option(option).in_range(range);
}

Option Command::get(const std::string& name) const { return Option(app_->get_option(name)); }

void Command::renamed(const std::string& before, const std::string& now) const {
  renamed_options(app_)[before] = now;
}

void Command::after_parsing(std::function<void()> check) const {
  app_->parse_complete_callback(std::move(check));
}

void Command::runs(std::function<void()> body) const { app_->callback(std::move(body)); }

HelpGroup::HelpGroup(const Command& command, const std::string& heading)
    : app_(command.app_), before_(app_->option_defaults()->get_group()) {
  if (!heading.empty()) app_->option_defaults()->group(heading);
}

HelpGroup::~HelpGroup() { app_->option_defaults()->group(before_); }

Program::Program(const std::string& name, const std::string& description,
                 const std::string& version, const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", name + " " + version);
  app_->require_subcommand(1);
  app_->footer(footer);
  app_->get_formatter()->column_width(34);
}

Program::~Program() = default;

Command Program::command(const std::string& name, const std::string& description) {
  return Command(app_->add_subcommand(name, description));
}

Command Program::only_command() {
  app_->require_subcommand(0);
  return Command(app_.get());
}

namespace {

[[noreturn]] void fail(const std::string& why, const std::string& command) {
  throw Error(ErrorCode::usage, fmt::format("{}\nSee {} --help", why, command));
}

[[noreturn]] void refuse_command(const CLI::App& app, const std::string& typed) {
  fail(fmt::format("{}: no such command{}", typed, suggestion(typed, names_of(app))),
       app.get_name());
}

}  // namespace

void Program::print_help(int argc, char** argv) const {
  if (argc == 2) return void(std::cout << app_->help());
  for (const CLI::App* command : app_->get_subcommands({}))
    if (command->get_name() == argv[2]) return void(std::cout << command->help(app_->get_name()));
  refuse_command(*app_, argv[2]);
}

void Program::run(int argc, char** argv) {
  const bool has_commands = app_->get_require_subcommand_min() > 0;
  if (argc == 1 && has_commands) return void(std::cout << app_->help());
  if (has_commands && std::string_view(argv[1]) == "help") return print_help(argc, argv);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {  // --help, --version
      app_->exit(e);
      return;
    }
    const auto chosen = app_->get_subcommands();
    if (has_commands && chosen.empty() && argc > 1 && argv[1][0] != '-')
      refuse_command(*app_, argv[1]);
    // CLI11 reports missing arguments before unknown arguments.
    const auto unknown = chosen.empty() ? std::vector<std::string>() : chosen.front()->remaining();
    const auto flag = std::ranges::find_if(unknown, [](const std::string& word) {
      return word.starts_with("-") && word.size() > 1 && word != "--";
    });
    if (flag != unknown.end()) {
      const std::string option = flag->substr(0, flag->find('='));
      const auto& renamed = renamed_options(chosen.front());
      const auto now = renamed.find(option);
      fail(now != renamed.end() ? fmt::format("{}: is now {}", option, now->second)
                                : fmt::format("{}: no such option{}", *flag,
                                              suggestion(option, flags_of(*chosen.front()))),
           app_->get_name() + " " + chosen.front()->get_name());
    }
    fail(e.what(),
         chosen.empty() ? app_->get_name() : app_->get_name() + " " + chosen.front()->get_name());
  }
}

}  // namespace bifocal::cli
