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

Sample measure(const std::function<void()>& body, int min_runs, double min_seconds) {
  const int repeats = repeats_for(body);
  std::vector<double> times;
  for (double total = 0; static_cast<int>(times.size()) < min_runs || total < min_seconds;) {
    times.push_back(seconds_of(body, repeats));
    total += times.back() * repeats;
  }
  return sample_of(times);
}

std::optional<Reference> Comparison::reference(const char* name, double value_of_second) const {
  if (!peer) return std::nullopt;
  return Reference{name, peer->median * value_of_second};
}

Comparison measure_with_peer(const std::function<void()>& ours, const std::function<void()>& peer) {
  if (!peer) return {measure(ours), std::nullopt};
  const auto [sample, other] = measure_pair(ours, peer);
  return {sample, other};
}

std::pair<Sample, Sample> measure_pair(const std::function<void()>& ours,
                                       const std::function<void()>& peer, int min_runs,
                                       double min_seconds) {
  const std::vector<Sample> samples = measure_interleaved({ours, peer}, min_runs, min_seconds);
  return {samples[0], samples[1]};
}

std::vector<Sample> measure_interleaved(const std::vector<std::function<void()>>& bodies,
                                        int min_runs, double min_seconds) {
  std::vector<int> repeats;
  for (const auto& body : bodies) repeats.push_back(repeats_for(body));
  std::vector<std::vector<double>> times(bodies.size());
  const double enough = min_seconds * static_cast<double>(bodies.size());
  for (double total = 0; static_cast<int>(times[0].size()) < min_runs || total < enough;) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      times[i].push_back(seconds_of(bodies[i], repeats[i]));
      total += times[i].back() * repeats[i];
    }
  }
  std::vector<Sample> samples;
  for (const auto& t : times) samples.push_back(sample_of(t));
  return samples;
}

}  // namespace bifocal::bench
