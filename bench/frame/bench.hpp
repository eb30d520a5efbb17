// SPDX-License-Identifier: BSD-3-Clause
// The frame of `bifocal-bench`: suites of cases, each measured over several runs, beside a named
// peer where there is one.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace bifocal::bench {

struct Reference {
  std::string name;  // the peer and its version; "(recorded)" when it was not measured in this run
  double value;      // in the record's unit
};

// What is measured beside the time: a count, a number, a word or a list of numbers.
struct Figure {
  std::variant<std::int64_t, double, std::string, std::vector<double>> value;

  Figure() = default;
  template <std::integral T>
  Figure(T count) : value(static_cast<std::int64_t>(count)) {}
  Figure(double number) : value(number) {}
  Figure(std::string word) : value(std::move(word)) {}
  Figure(const char* word) : value(word) {}
  Figure(std::vector<double> numbers) : value(std::move(numbers)) {}
};
using Figures = std::map<std::string, Figure>;

// One line of the result. ratio > 1 means we are better.
struct Record {
  std::string suite, case_name, device = "cpu", unit;
  double value = 0;  // median
  int runs = 0;
  double mad = 0;  // median absolute deviation
  std::optional<Reference> reference;
  bool higher_is_better = false;
  Figures extra;

  [[nodiscard]] double ratio() const;
};

struct Sample {
  double median = 0, mad = 0;
  int runs = 0;
};
// Seconds of one call: a warm-up, then at least `min_runs` calls and `min_seconds`; each timed call
// repeats `body` often enough to last a millisecond.
[[nodiscard]] Sample measure(const std::function<void()>& body, int min_runs = 7,
                             double min_seconds = 0.2);
// Two bodies in turn, so that both see the same machine.
[[nodiscard]] std::pair<Sample, Sample> measure_pair(const std::function<void()>& ours,
                                                     const std::function<void()>& peer,
                                                     int min_runs = 7, double min_seconds = 0.2);
// A body beside a peer that need not be built in (an empty one): in turn where it is.
struct Beside {
  Sample ours;
  std::optional<Sample> peer;

  // The record's reference, in its unit, where there is a peer.
  [[nodiscard]] std::optional<Reference> reference(const char* name, double value_of_second) const;
};
[[nodiscard]] Beside measure_beside(const std::function<void()>& ours,
                                    const std::function<void()>& peer);
// Any number of bodies in turn, until each ran `min_runs` times and on average `min_seconds`.
[[nodiscard]] std::vector<Sample> measure_in_turn(const std::vector<std::function<void()>>& bodies,
                                                  int min_runs = 7, double min_seconds = 0.2);
// Keeps a result alive.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// Options of the suite `adjust`.
struct AdjustChoices {
  std::vector<std::string> bal;  // files with problems
  std::string write;             // folder for the problems that are measured; empty: none
  double seconds = 120;          // an adjustment is stopped after this time
  double tolerance = 1e-9;       // AdjustOptions::function_tolerance
  int solver = 0;                // AdjustSolver
};

struct Context {
  std::string data_folder;                         // test data, may not exist
  std::string pictures_folder;                     // where result pictures go; empty: nowhere
  std::string device;                              // as given to --device
  std::function<bool(const std::string&)> wanted;  // does the case pass --filter?
  std::function<void(Record)> report;
  AdjustChoices adjust = {};
};

struct Suite {
  std::string name, what;
  std::function<void(Context&)> run;
  bool on_devices = false;  // runs on Context::device; else always on the CPU
  bool in_all = true;       // part of the suite `all`
};
// All suites, in the order they are listed (bench/frame/suites.cpp).
[[nodiscard]] const std::vector<Suite>& suites();

}  // namespace bifocal::bench
