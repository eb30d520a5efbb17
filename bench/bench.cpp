// SPDX-License-Identifier: BSD-3-Clause
#include "bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace bifocal::bench {
namespace {

double seconds_of(const std::function<void()>& body, int repeats) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repeats;
}

int repeats_for(const std::function<void()>& body) {
  constexpr double kShortest = 1e-3;
  const double once = seconds_of(body, 1);
  return once >= kShortest ? 1 : static_cast<int>(std::ceil(kShortest / std::max(once, 1e-9)));
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Sample sample_of(const std::vector<double>& times) {
  const double median = median_of(times);
  std::vector<double> deviations;
  for (double t : times) deviations.push_back(std::abs(t - median));
  return {median, median_of(deviations), static_cast<int>(times.size())};
}

}  // namespace

double Record::ratio() const {
  if (!reference || value <= 0 || reference->value <= 0) return 0;
  return higher_is_better ? value / reference->value : reference->value / value;
}

nlohmann::json Record::to_json() const {
  nlohmann::json j = {{"suite", suite}, {"case", case_name}, {"device", device}, {"unit", unit},
                      {"value", value}, {"runs", runs},      {"mad", mad}};
  if (reference) {
    j["reference"] = {{"name", reference->name}, {"value", reference->value}};
    j["ratio"] = ratio();
  }
  j.update(extra);
  return j;
}

Sample measure(const std::function<void()>& body, int min_runs, double min_seconds) {
  const int repeats = repeats_for(body);
  std::vector<double> times;
  for (double total = 0; static_cast<int>(times.size()) < min_runs || total < min_seconds;) {
    times.push_back(seconds_of(body, repeats));
    total += times.back() * repeats;
  }
  return sample_of(times);
}

std::pair<Sample, Sample> measure_pair(const std::function<void()>& ours,
                                       const std::function<void()>& peer, int min_runs,
                                       double min_seconds) {
  const int repeats[2] = {repeats_for(ours), repeats_for(peer)};
  std::vector<double> times[2];
  for (double total = 0; static_cast<int>(times[0].size()) < min_runs || total < min_seconds;) {
    times[0].push_back(seconds_of(ours, repeats[0]));
    times[1].push_back(seconds_of(peer, repeats[1]));
    total += times[0].back() * repeats[0];
  }
  return {sample_of(times[0]), sample_of(times[1])};
}

}  // namespace bifocal::bench
