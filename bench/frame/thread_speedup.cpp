// SPDX-License-Identifier: BSD-3-Clause
#include "thread_speedup.hpp"

#include <bifocal/device.hpp>

namespace bifocal::bench {

void report_thread_speedup(Context& context, const std::string& suite, const std::string& name,
                           const std::function<std::function<void()>()>& make) {
  Record record;
  record.suite = suite;
  record.case_name = name + "/threads2";
  record.unit = "ms";
  if (!context.wanted(record.case_name)) return;
  const std::function<void()> body = make();
  const auto with = [&](int threads) {
    return [&body, threads] {
      const ThreadLimit limit(threads);
      body();
    };
  };
  const auto [two, one] = measure_pair(with(2), with(1), 15, 1.0);
  record.value = two.median * 1e3;
  record.mad = two.mad * 1e3;
  record.runs = two.runs;
  record.reference = Reference{"the same with one thread", one.median * 1e3};
  context.report(record);
}

}  // namespace bifocal::bench
