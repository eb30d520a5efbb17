// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/seeds.hpp"

namespace bifocal::bench {

void seeds::report_ms(Context& context, const std::string& name, const std::string& device,
                      const Sample& sample, const std::optional<Reference>& reference,
                      Figures extra) {
  Record record;
  record.suite = "seeds";
  record.case_name = name;
  record.device = device;
  record.unit = "ms";
  record.value = sample.median * 1e3;
  record.mad = sample.mad * 1e3;
  record.runs = sample.runs;
  record.reference = reference;
  record.extra = std::move(extra);
  context.report(std::move(record));
}

void run_seeds(Context& context) {
  seeds::run_eigenpairs(context);
  seeds::run_homography(context);
  seeds::run_five_point(context);
  seeds::run_stereo(context);
}

}  // namespace bifocal::bench
