// SPDX-License-Identifier: BSD-3-Clause
// The framework of `bifocal-bench`: suites of cases, each measured over several runs and compared
// with a named peer if one is available.
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
  std::string name;  // the peer and its version; "(recorded)" if not measured in this run
  double value;      // in the record's unit
};

// A further figure next to the time: a count, a number, a word or a list of numbers.
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

// One row of the result. ratio > 1 means that Bifocal is faster or better.
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
// Returns the seconds of one call: a warm-up, then at least `min_runs` calls and `min_seconds`.
// Each timed call repeats `body` often enough to last a millisecond.
[[nodiscard]] Sample measure(const std::function<void()>& body, int min_runs = 7,
                             double min_seconds = 0.2);
// Measures two bodies alternately, so that both see the same machine.
[[nodiscard]] std::pair<Sample, Sample> measure_pair(const std::function<void()>& ours,
                                                     const std::function<void()>& peer,
                                                     int min_runs = 7, double min_seconds = 0.2);
// The times of a body, and of a peer if it was measured.
struct Comparison {
  Sample ours;
  std::optional<Sample> peer;

  // Returns the peer as reference of a record, or no value without a peer. value_of_second: factor
  // from seconds to the unit of the record.
  [[nodiscard]] std::optional<Reference> reference(const char* name, double value_of_second) const;
};
// Measures a body and, alternately, a peer. An empty peer (not built in) is skipped.
[[nodiscard]] Comparison measure_with_peer(const std::function<void()>& ours,
                                           const std::function<void()>& peer);
// Measures several bodies alternately, until each ran `min_runs` times and `min_seconds` on
// average.
[[nodiscard]] std::vector<Sample> measure_interleaved(
    const std::vector<std::function<void()>>& bodies, int min_runs = 7, double min_seconds = 0.2);
// Keeps a result alive, so that the compiler does not remove its computation.
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
  std::string pictures_folder;                     // folder of result images; empty: none
  std::string device;                              // as given to --device
  std::function<bool(const std::string&)> wanted;  // returns whether the case passes --filter
  std::function<void(Record)> report;
  AdjustChoices adjust = {};
};

struct Suite {
  std::string name, what;
  std::function<void(Context&)> run;
  bool on_devices = false;  // runs on Context::device; otherwise always on the CPU
  bool in_all = true;       // part of the suite `all`
};
// Returns all suites in the order of their list (bench/frame/suites.cpp).
[[nodiscard]] const std::vector<Suite>& suites();

}  // namespace bifocal::bench
