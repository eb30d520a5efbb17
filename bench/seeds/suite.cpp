// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/seeds.hpp"

#include "runtime/kernel.hpp"

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

void seeds::add_resources(Figures& figures, const std::function<void()>& work) {
  const std::vector<runtime::KernelResources> launches = runtime::resources_of(work);
  if (launches.size() != 1 || launches[0].groups == 0) return;  // a CPU has no groups
  const runtime::KernelResources& kernel = launches[0];
  figures["kernel"] = kernel.entry;
  figures["groups"] = kernel.groups;
  figures["group_size"] = kernel.group_size;
  figures["private_bytes"] = kernel.private_bytes;
  figures["local_bytes"] = kernel.local_bytes;
  if (kernel.registers == 0) return;  // OpenCL does not report the rest
  figures["registers"] = kernel.registers;
  figures["resident_groups"] = kernel.resident_groups;
  figures["occupancy"] = kernel.occupancy;
  figures["launched_occupancy"] = kernel.launched_occupancy;
}

void run_seeds(Context& context) {
  seeds::run_eigenpairs(context);
  seeds::run_homography(context);
  seeds::run_five_point(context);
  seeds::run_stereo(context);
}

}  // namespace bifocal::bench
