// SPDX-License-Identifier: BSD-3-Clause
// Every case gives the same values on every device, on the registers of every SIMD target of this
// machine, and in float, as on scalars in double.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/device.hpp>
#include <ostream>

#include "lane/cases.hpp"
#include "runtime/built_parts.h"
#include "runtime/kernel.hpp"
#include "runtime/opencl/source.hpp"
#include "support/needs_problem.hpp"
#include "support/targets.hpp"

namespace bifocal {

#if BIFOCAL_HAS_OPENCL
namespace runtime {
OpenClSource opencl_source_lane_cases();
OpenClSource opencl_source_problem_cases();
}  // namespace runtime
#endif
// Defined in case_unit.hpp.
namespace test {
CaseUnit lane_unit();
#define CASE_UNIT(name) CaseUnit name##_unit();
#include "case_units.def"
}  // namespace test

namespace test {

namespace {

constexpr int kGroupSize = 64, kCudaGroupSize = 32;  // CUDA: a warp

// Precision of a unit on a device; `simd` selects SIMD registers on a CPU.
struct Mapping {
  bool is_float, simd = true;
};

template <class Function>
Function find_function(const std::vector<runtime::KernelFunction<Function>>& table,
                       const std::string& entry, const runtime::Constants& constants) {
  for (const auto& row : table) {
    if (row.entry == entry && std::ranges::all_of(row.constants, [&](const auto& own) {
          return std::ranges::find(constants, own) != constants.end();
        }))
      return row.function;
  }
  return nullptr;
}

// Returns one line for each kernel, because one program holds all kernels.
std::string opencl_lines(const CaseUnit& unit) {
  std::string lines;
  for (const LaneCase& c : unit.lanes)
    lines += fmt::format("OPENCL_MAP(run_{}, LANE_CASE_ARGUMENTS)\n", c.name);
  for (const GroupCase& c : unit.groups)
    lines += fmt::format("OPENCL_GROUP(run_{}, GROUP_CASE_ARGUMENTS)\n", c.name);
  return lines;
}

runtime::Kernel make_kernel(const CaseUnit& unit, const std::string& name, DeviceKind device,
                            Mapping mapping) {
  runtime::Kernel kernel{.entry = "run_" + name, .source = unit.source, .constants = {}};
  kernel.constants = {{"REAL_IS_FLOAT", mapping.is_float},
                      {"SIMD", mapping.simd},
                      {"GROUP_SIZE", kGroupSize},
                      {"LANE_STRIDE", 1}};
  if (unit.problem) kernel.constants.emplace_back("PROBLEM", static_cast<int>(*unit.problem));
  if (device == DeviceKind::opencl) kernel.opencl_line = opencl_lines(unit);
  if (device == DeviceKind::cuda && unit.add_cuda) {
    runtime::CudaTable table;
    unit.add_cuda(table);
    kernel.cuda = find_function(table, kernel.entry, kernel.constants);
  }
  if (device == DeviceKind::cpu) {
    runtime::CpuTable table;
    unit.add_cpu(table);
    kernel.cpu = find_function(table, kernel.entry, kernel.constants);
  }
  return kernel;
}

template <class T>
Buffer<T> to_device(Queue& queue, const std::vector<double>& numbers) {
  Buffer<T> buffer(queue.device(), numbers.size());
  const std::vector<T> rounded(numbers.begin(), numbers.end());
  buffer.upload(queue, rounded);
  queue.wait();
  return buffer;
}
template <class T>
Outputs from_device(Queue& queue, const Buffer<T>& buffer) {
  std::vector<T> numbers(buffer.size());
  buffer.download(queue, numbers);
  queue.wait();
  return Outputs(numbers.begin(), numbers.end());
}

template <class T>
Outputs run(Queue& queue, const CaseUnit& unit, const LaneCase& c, const std::vector<double>& in,
            bool simd = true) {
  const DeviceKind device = queue.device().info().kind;
  const runtime::Kernel kernel = make_kernel(unit, c.name, device, {sizeof(T) == 4, simd});
  const Buffer<T> inputs = to_device<T>(queue, in);
  const Buffer<T> out(queue.device(), static_cast<std::size_t>(c.outputs) * kInstances);
  const runtime::Argument arguments[] = {kInstances, inputs, out, kInstances};
  runtime::launch(
      queue, kernel,
      {.count = kInstances, .groups = kInstances / kGroupSize, .group_size = kGroupSize},
      arguments);
  return from_device(queue, out);
}

template <class T>
Outputs run(Queue& queue, const CaseUnit& unit, const GroupCase& c, const GroupInputs& in,
            bool simd = true) {
  const DeviceKind device = queue.device().info().kind;
  const runtime::Kernel kernel = make_kernel(unit, c.name, device, {sizeof(T) == 4, simd});
  const Buffer<T> points = to_device<T>(queue, in.points), model = to_device<T>(queue, in.model);
  const Buffer<T> out(queue.device(), static_cast<std::size_t>(c.outputs));
  Buffer<robust::pair_info> info(queue.device(), 1);
  info.upload(queue, {&in.info, 1});
  const runtime::Argument arguments[] = {1, points, in.count, in.stride, info, model, out};
  const int size = device == DeviceKind::cuda ? kCudaGroupSize : kGroupSize;
  runtime::launch(queue, kernel, {.count = 1, .groups = 1, .group_size = size}, arguments);
  return from_device(queue, out);
}

// Runs a case in all mappings of a device.
template <class Case, class Inputs>
void run_everywhere(Queue& queue, const CaseUnit& unit, const Case& c, const Inputs& in) {
  Queue cpu{Device("cpu")};
  const Outputs reference = run<double>(cpu, unit, c, in, false);
  const DeviceInfo& device = queue.device().info();
  const auto on_device = [&](const std::string& where) {
    if (device.has_double)
      expect_agreement(c, reference, run<double>(queue, unit, c, in), false, where + " double");
    expect_agreement(c, reference, run<float>(queue, unit, c, in), true, where + " float");
  };
  if (device.kind == DeviceKind::cpu) {
    for_each_target(on_device);
  } else {
    on_device(device.id);
  }
}

struct UnitOnDevice {
  std::string device;
  const CaseUnit* unit;
  friend void PrintTo(const UnitOnDevice& p, std::ostream* out) {
    *out << p.unit->name << " on " << p.device;
  }
};
std::vector<UnitOnDevice> units_on_devices() {
  std::vector<UnitOnDevice> all;
  for (const DeviceInfo& device : list_devices()) {
    for (const CaseUnit& unit : case_units()) all.push_back({device.id, &unit});
  }
  return all;
}

class Lane : public testing::TestWithParam<UnitOnDevice> {};

TEST_P(Lane, cases_agree_with_scalars) {
#if BIFOCAL_HAS_OPENCL
  runtime::add_opencl_source(runtime::opencl_source_lane_cases());
  runtime::add_opencl_source(runtime::opencl_source_problem_cases());
#endif
  const CaseUnit& unit = *GetParam().unit;
  if (unit.problem) {
    SKIP_UNLESS_PROBLEM_IS_BUILT(*unit.problem);
  }
  Queue queue{Device(GetParam().device)};
  for (const LaneCase& c : unit.lanes) run_everywhere(queue, unit, c, lane_inputs(unit, c));
  if (unit.problem) {
    const GroupInputs in = group_inputs(*unit.problem);
    for (const GroupCase& c : unit.groups) run_everywhere(queue, unit, c, in);
  }
}

INSTANTIATE_TEST_SUITE_P(, Lane, testing::ValuesIn(units_on_devices()), [](const auto& test) {
  std::string device = test.param.device;
  std::ranges::replace(device, ':', '_');
  return device + "_" + test.param.unit->name;
});

}  // namespace

const std::vector<CaseUnit>& case_units() {
  static const std::vector<CaseUnit> units = {
      lane_unit(),
#define CASE_UNIT(name) name##_unit(),
#include "case_units.def"
  };
  return units;
}

}  // namespace test
}  // namespace bifocal
