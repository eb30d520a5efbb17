// SPDX-License-Identifier: BSD-3-Clause
// Every lane and group file compiles as OpenCL C 1.2, and every case gives the same values there as
// on a scalar.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <type_traits>

#include "lane/cases.hpp"
#include "lane/lane_text.hpp"

namespace bifocal::test {
namespace {

constexpr int kGroupSize = 64;

template <class T, cl_int (*Release)(T)>
struct Releaser {
  void operator()(T object) const { Release(object); }
};
template <class T, cl_int (*Release)(T)>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, Releaser<T, Release>>;

using Context = Handle<cl_context, clReleaseContext>;
using Queue = Handle<cl_command_queue, clReleaseCommandQueue>;
using Program = Handle<cl_program, clReleaseProgram>;
using Kernel = Handle<cl_kernel, clReleaseKernel>;
using Memory = Handle<cl_mem, clReleaseMemObject>;

struct Device {
  cl_device_id id = nullptr;
  Context context;
  Queue queue;
};

// The first device of any platform; none: the test is skipped.
std::unique_ptr<Device> first_device() {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) return nullptr;
  for (cl_uint i = 0; i < count && i < 8; ++i) {
    auto device = std::make_unique<Device>();
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device->id, nullptr) != CL_SUCCESS)
      continue;
    device->context.reset(clCreateContext(nullptr, 1, &device->id, nullptr, nullptr, nullptr));
    device->queue.reset(clCreateCommandQueue(device->context.get(), device->id, 0, nullptr));
    return device;
  }
  return nullptr;
}

std::string program_text() {
  std::string text = expand_includes("lane/opencl_begin.h") + expand_includes("lane/case_lists.h");
  for (const LaneCase& c : lane_cases()) {
    text += fmt::format(
        "kernel void run_{0}(global const real* in, global real* out, int n) {{\n"
        "  int i = get_global_id(0);\n  real a[{1}], b[{2}];\n"
        "  for (int k = 0; k < {1}; ++k) a[k] = in[k * n + i];\n  case_{0}(a, b);\n"
        "  for (int k = 0; k < {2}; ++k) out[k * n + i] = b[k];\n}}\n",
        c.name, c.inputs, c.outputs);
  }
  for (const GroupCase& c : group_cases()) {
    text += fmt::format(
        "kernel void group_{0}(global const scalar* points, int n, global const scalar* models, "
        "global scalar* out) {{\n"
        "  local scalar scratch[GROUP_SCRATCH_];\n  scalar model[12], result[{1}];\n"
        "  for (int k = 0; k < 12; ++k) model[k] = models[k];\n  group_case_{0}(scratch, points, "
        "n, model, result);\n"
        "  if (get_local_id(0) == 0) for (int k = 0; k < {1}; ++k) out[k] = result[k];\n}}\n",
        c.name, c.outputs);
  }
  return text;
}

Program build(const Device& device, bool is_float) {
  const std::string text = program_text();
  const char* source = text.c_str();
  Program program(clCreateProgramWithSource(device.context.get(), 1, &source, nullptr, nullptr));
  const std::string options =
      fmt::format("-cl-std=CL1.2 -D REAL_IS_FLOAT={} -D GROUP_SIZE={} -D LANE_STRIDE=1",
                  is_float ? 1 : 0, kGroupSize);
  if (clBuildProgram(program.get(), 1, &device.id, options.c_str(), nullptr, nullptr) == CL_SUCCESS)
    return program;
  std::string log(1 << 16, '\0');
  size_t used = 0;
  clGetProgramBuildInfo(program.get(), device.id, CL_PROGRAM_BUILD_LOG, log.size(), log.data(),
                        &used);
  ADD_FAILURE() << log.substr(0, used);
  return nullptr;
}

template <class T>
Outputs run(const Device& device, const Program& program, const LaneCase& c,
            const std::vector<double>& inputs) {
  std::vector<T> in(inputs.begin(), inputs.end()), out(static_cast<size_t>(c.outputs) * kInstances);
  Memory in_buffer(clCreateBuffer(device.context.get(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                  in.size() * sizeof(T), in.data(), nullptr));
  Memory out_buffer(clCreateBuffer(device.context.get(), CL_MEM_WRITE_ONLY, out.size() * sizeof(T),
                                   nullptr, nullptr));
  Kernel kernel(clCreateKernel(program.get(), ("run_" + c.name).c_str(), nullptr));
  cl_mem in_memory = in_buffer.get(), out_memory = out_buffer.get();
  const cl_int n = kInstances;
  clSetKernelArg(kernel.get(), 0, sizeof(cl_mem), &in_memory);
  clSetKernelArg(kernel.get(), 1, sizeof(cl_mem), &out_memory);
  clSetKernelArg(kernel.get(), 2, sizeof(n), &n);
  const size_t global = kInstances;
  EXPECT_EQ(clEnqueueNDRangeKernel(device.queue.get(), kernel.get(), 1, nullptr, &global, nullptr,
                                   0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(device.queue.get(), out_memory, CL_TRUE, 0, out.size() * sizeof(T),
                                out.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  return Outputs(out.begin(), out.end());
}

template <class T>
Outputs run(const Device& device, const Program& program, const GroupCase& c,
            const GroupProblem& problem) {
  std::vector<T> points(problem.points.begin(), problem.points.end()),
      model(problem.model.begin(), problem.model.end());
  std::vector<T> out(static_cast<size_t>(c.outputs));
  const auto buffer = [&](std::vector<T>& values) {
    return Memory(clCreateBuffer(device.context.get(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 values.size() * sizeof(T), values.data(), nullptr));
  };
  const Memory buffers[3] = {buffer(points), buffer(model), buffer(out)};
  Kernel kernel(clCreateKernel(program.get(), ("group_" + c.name).c_str(), nullptr));
  cl_mem memory[3] = {buffers[0].get(), buffers[1].get(), buffers[2].get()};
  const cl_int n = kGroupPoints;
  clSetKernelArg(kernel.get(), 0, sizeof(cl_mem), &memory[0]);
  clSetKernelArg(kernel.get(), 1, sizeof(n), &n);
  clSetKernelArg(kernel.get(), 2, sizeof(cl_mem), &memory[1]);
  clSetKernelArg(kernel.get(), 3, sizeof(cl_mem), &memory[2]);
  const size_t size = kGroupSize;
  EXPECT_EQ(clEnqueueNDRangeKernel(device.queue.get(), kernel.get(), 1, nullptr, &size, &size, 0,
                                   nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(device.queue.get(), memory[2], CL_TRUE, 0, out.size() * sizeof(T),
                                out.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  return Outputs(out.begin(), out.end());
}

TEST(OpenCL, cases_agree_with_the_scalar) {
  const auto device = first_device();
  if (!device) GTEST_SKIP() << "no OpenCL device";
  char name[256] = "";
  clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof(name) - 1, name, nullptr);
  std::printf("on %s\n", name);
  for (const bool is_float : {true, false}) {
    const Program program = build(*device, is_float);
    if (!program) continue;
    for (const LaneCase& c : lane_cases()) {
      const std::vector<double> in = make_inputs(c);
      const Outputs got =
          is_float ? run<float>(*device, program, c, in) : run<double>(*device, program, c, in);
      expect_agreement(c, reference_outputs(c, in), got, is_float,
                       is_float ? "OpenCL float" : "OpenCL double");
    }
    for (const GroupCase& c : group_cases()) {
      const GroupProblem problem = make_group_problem(c.kind);
      const Outputs got = is_float ? run<float>(*device, program, c, problem)
                                   : run<double>(*device, program, c, problem);
      expect_group_agreement(c, group_reference(c, problem), got, is_float,
                             is_float ? "OpenCL float" : "OpenCL double");
    }
  }
}

}  // namespace
}  // namespace bifocal::test
