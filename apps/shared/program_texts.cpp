// SPDX-License-Identifier: BSD-3-Clause
// Bash completion and the manual page of a program, from its commands and options.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "arguments.hpp"

namespace bifocal::cli {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  const auto commands = app.get_subcommands({});
  return {commands.begin(), commands.end()};
}

std::string long_flag(const CLI::Option& option) { return "--" + option.get_lnames().front(); }

// Text for roff: backslashes and hyphens are escaped, and no line begins with a control character.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\n')
      out += ' ';
    else
      out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string option_entry(const CLI::Option& option) {
  const std::vector<std::string>& words = Option::words_of(&option);
  const bool takes_value = option.get_items_expected_max() > 0;
  std::string name = option.get_positional() ? option.get_name() : long_flag(option);
  std::string value;
  if (!option.get_positional() && takes_value)
    value = words.empty() ? " VALUE" : " " + fmt::format("{}", fmt::join(words, "|"));
  std::string text = option.get_description();
  if (!option.get_default_str().empty())
    text += fmt::format(" Default: {}.", option.get_default_str());
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(name), roff(value), roff(text));
}

std::string command_section(const CLI::App& command, const std::string& program) {
  std::string positional, text;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) positional += " " + option->get_name();
  text = fmt::format(".SS {} {}{} [OPTIONS]\n{}.\n", roff(program), roff(command.get_name()),
                     roff(positional), roff(command.get_description()));
  for (const CLI::Option* option : command.get_options())
    if (option->get_name() != "--help") text += option_entry(*option);
  return text;
}

}  // namespace

std::string Program::bash_completion() const {
  const std::string& program = app_->get_name();
  std::string names, flags, words;
  for (const CLI::App* command : commands_of(*app_)) {
    const std::string& name = command->get_name();
    names += (names.empty() ? "" : " ") + name;
    std::vector<std::string> all;
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_positional()) continue;
      all.push_back(long_flag(*option));
      if (const auto& choices = Option::words_of(option); !choices.empty())
        words += fmt::format("    '{} {}') COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return ;;\n",
                             name, all.back(), fmt::join(choices, " "));
    }
    flags += fmt::format("    {}) flags='{}' ;;\n", name, fmt::join(all, " "));
  }
  return fmt::format(R"(# bash completion for {0}
_{0}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} flags=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{1} help --help --version' -- "$cur"))
    return
  fi
  case "$command $prev" in
{2}  esac
  case "$command" in
{3}  esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -f -- "$cur")) ;;
  esac
}}
complete -o filenames -F _{0} {0}
)",
                     program, names, words, flags);
}

std::string Program::man_page(const std::string& version) const {
  const std::string& program = app_->get_name();
  std::string upper = program;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string text = fmt::format(
      ".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n\\fB{}\\fR "
      "COMMAND [OPTIONS]\n.SH COMMANDS\n",
      upper, program, version, program, roff(app_->get_description()), program);
  for (const CLI::App* command : commands_of(*app_)) text += command_section(*command, program);
  return text + fmt::format(".SH EXIT STATUS\n{}\n", roff(app_->get_footer()));
}

}  // namespace bifocal::cli
