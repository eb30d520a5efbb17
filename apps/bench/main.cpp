// SPDX-License-Identifier: BSD-3-Clause
// bifocal-bench: measures this machine, and other projects if they are built in.
#include <fmt/format.h>
#include <bifocal/adjust.hpp>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/version.hpp>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "arguments.hpp"
#include "commit.hpp"
#include "console.hpp"
#include "frame/bench.hpp"
#include "progress.hpp"

namespace bifocal::bench {
namespace {

struct Options {
  std::string suite, device = "cpu", json_file, filter, data = "../shared/data", pictures;
  bool list = false, overwrite = false;
  AdjustChoices adjust;
};

using cli::print_out;

// Runs a suite, or with `dry` only lists its cases.
using Visit = std::function<bool(const std::string& case_name)>;
void run_suite(const Suite& suite, const Options& o, const Visit& wanted,
               const std::function<void(Record)>& report) {
  Context context{.data_folder = o.data,
                  .pictures_folder = o.pictures,
                  .device = o.device,
                  .wanted = wanted,
                  .report = report,
                  .adjust = o.adjust};
  suite.run(context);
}

// On a device other than the CPU, `all` means all suites that run there.
std::vector<Suite> chosen_suites(const std::string& name, const std::string& device) {
  const bool on_cpu = device == "cpu";
  std::vector<Suite> chosen;
  std::string names;
  for (const Suite& suite : suites()) {
    names += suite.name + " ";
    if (name == suite.name && !on_cpu && !suite.on_devices) {
      throw Error(ErrorCode::device,
                  fmt::format("--device {}: suite {} runs only on the CPU", device, name));
    }
    if (name == suite.name || (name == "all" && suite.in_all && (on_cpu || suite.on_devices))) {
      chosen.push_back(suite);
    }
  }
  if (chosen.empty()) {
    throw Error(ErrorCode::usage,
                fmt::format("SUITE: {}: no such suite; use one of {}or all", name, names));
  }
  return chosen;
}

std::regex filter_of(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error& e) {
    throw Error(ErrorCode::usage, fmt::format("--filter: {}: {}", text, e.what()));
  }
}

std::string word(const Figure& figure) {
  if (const double* number = std::get_if<double>(&figure.value))
    return fmt::format("{:.4g}", *number);
  if (const auto* numbers = std::get_if<std::vector<double>>(&figure.value))
    return fmt::format("({} numbers)", numbers->size());
  if (const std::string* text = std::get_if<std::string>(&figure.value)) return *text;
  return fmt::format("{}", std::get<std::int64_t>(figure.value));
}

// Returns one line: the value, its spread, and the reference with the ratio to it.
std::string row(const Record& r) {
  std::string text =
      fmt::format("{:<46} {:>10.4g} {:<24} +- {:<9.2g}", r.case_name, r.value, r.unit, r.mad);
  if (r.reference) {
    text += fmt::format(" {:>6.2f}x  {} {:.4g}", r.ratio(), r.reference->name, r.reference->value);
  }
  for (const auto& [name, figure] : r.extra) text += fmt::format("  {}={}", name, word(figure));
  return text + "\n";
}

nlohmann::json to_json(const Record& r) {
  nlohmann::json json = {{"suite", r.suite}, {"case", r.case_name}, {"device", r.device},
                         {"unit", r.unit},   {"value", r.value},    {"runs", r.runs},
                         {"mad", r.mad}};
  if (r.reference) {
    json["reference"] = {{"name", r.reference->name}, {"value", r.reference->value}};
    json["ratio"] = r.ratio();
  }
  for (const auto& [name, figure] : r.extra) {
    std::visit([&json, &key = name](const auto& value) { json[key] = value; }, figure.value);
  }
  return json;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  gmtime_r(&now, &day);
  return fmt::format("{}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

nlohmann::json machine(const std::string& command_line, const Device& device) {
  const DeviceInfo cpu = Device("cpu").info();
  nlohmann::json here = {{"cpu", cpu.name},         {"simd", cpu.simd},
                         {"cores", cpu.cores},      {"memory_bytes", cpu.memory},
                         {"compiler", __VERSION__}, {"version", BIFOCAL_VERSION},
                         {"command", command_line}, {"commit", BIFOCAL_COMMIT},
                         {"date", today()}};
  if (device.info().kind != DeviceKind::cpu) {
    here["device"] = device.info().name;
    here["driver"] = device.info().driver;
  }
  return here;
}

void list_cases(const std::vector<Suite>& chosen, const Options& o, const std::regex& filter) {
  for (const Suite& suite : chosen) {
    print_out(fmt::format("{}: {}\n", suite.name, suite.what));
    const auto print = [&](const std::string& name) {
      if (std::regex_search(name, filter)) print_out("  " + name + "\n");
      return false;
    };
    run_suite(suite, o, print, [](const Record&) {});
  }
}

// Returns whether a file has records of an earlier run of the same command.
bool is_record_of(const std::string& file, const std::string& command_line) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return false;
  try {
    const nlohmann::json records = nlohmann::json::parse(read_text(file), nullptr, false);
    return records.is_array() && !records.empty() && records[0].is_object() &&
           records[0].value("machine", nlohmann::json()).value("command", "") == command_line;
  } catch (const std::exception&) {
    return false;  // no record
  }
}

void measure_suites(Options o, const std::string& command_line) {
  const Device device(o.device);  // refuses a missing device before any measurement
  if (o.device == "auto") o.device = device.info().id;
  const std::vector<Suite> chosen = chosen_suites(o.suite, o.device);
  const std::regex filter = filter_of(o.filter);
  if (o.list) return list_cases(chosen, o, filter);

  int total = 0, started = 0;
  for (const Suite& suite : chosen) {
    const auto count = [&](const std::string& name) {
      total += std::regex_search(name, filter);
      return false;
    };
    run_suite(suite, o, count, [](const Record&) {});
  }
  if (total == 0) {
    throw Error(ErrorCode::usage,
                fmt::format("--filter {}: no case of suite {} matches", o.filter, o.suite));
  }

  if (!o.json_file.empty()) {
    require_file_place(o.json_file);
    require_free(o.json_file, o.overwrite || is_record_of(o.json_file, command_line),
                 "exists already, and is no record of this command");
  }
  nlohmann::json records = nlohmann::json::array();
  const nlohmann::json here = machine(command_line, device);
  cli::Progress progress(total, "cases");
  const auto wanted = [&](const std::string& name) {
    if (!std::regex_search(name, filter)) return false;
    progress.update(started++, name);
    return true;
  };
  const auto report = [&](const Record& record) {
    progress.hide();
    print_out(row(record));
    records.push_back(to_json(record));
    records.back()["machine"] = here;
    // A run that is ended later leaves the records of all finished cases.
    if (!o.json_file.empty()) write_file(o.json_file, records.dump(1) + "\n");
  };
  for (const Suite& suite : chosen) run_suite(suite, o, wanted, report);
}

void add_adjust_options(const cli::Command& command, AdjustChoices& choices) {
  command.option("--bal", choices.bal, "BAL files that suite adjust reads, as text");
  command.option("--write", choices.write,
                 "folder for the problems of suite adjust that the filter chooses, as BAL files");
  command
      .option("--seconds", choices.seconds, "an adjustment of suite adjust stops after this time")
      .in_range(Range::above(0))
      .shows_default();
  command.option("--tolerance", choices.tolerance, "function tolerance of suite adjust")
      .in_range(Range::at_least(0))
      .shows_default();
  command.choice(
      "--solver", Range::one_of(kAdjustSolverWords),
      [&choices](int word) { choices.solver = word; }, choices.solver, "solver of suite adjust");
}

int run(int argc, char** argv) {
  cli::Program program("bifocal-bench",
                       "Measures this machine, and other projects if they are built in.",
                       BIFOCAL_VERSION, "Exit codes: 0 ok, 2 usage, 3 input or output, 4 device.");
  const cli::Command command = program.only_command();
  Options o;
  std::string names;
  for (const Suite& suite : suites()) names += suite.name + " ";
  command.option("SUITE", o.suite, names + "or all").required();
  command
      .option("--device", o.device,
              "cpu, cuda[:i], opencl[:i] or auto, the best (see bifocal devices); some suites "
              "run on the CPU only")
      .shows_default();
  command.option("--filter", o.filter,
                 "regular expression; runs the cases whose names contain a match");
  command.option("--json", o.json_file,
                 "also write the records to this file after each case, as a JSON array");
  command.flag("--overwrite", o.overwrite,
               "replace the file of --json if it is no record of the same command");
  command
      .option("--data", o.data,
              "folder of the photographs for some cases; without it these cases are skipped")
      .environment("BIFOCAL_DATA")
      .shows_default();
  command.option("--pictures", o.pictures,
                 "folder for the result images of the stereo system in suite seeds");
  add_adjust_options(command, o.adjust);
  command.flag("--list", o.list, "only list the cases");
  command.runs([&] { measure_suites(o, cli::command_line("bifocal-bench", argc, argv)); });
  program.run(argc, argv);
  return cli::kExitOk;
}

}  // namespace
}  // namespace bifocal::bench

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe then gives a failed write with a message
  return bifocal::cli::exit_code_of("bifocal-bench",
                                    [&] { return bifocal::bench::run(argc, argv); });
}
