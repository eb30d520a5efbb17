// SPDX-License-Identifier: BSD-3-Clause
// Programs of an OpenCL device, built at run time from the embedded sources.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/opencl/backend.hpp"
#include "runtime/opencl/program_cache.hpp"
#include "runtime/opencl/source.hpp"

namespace bifocal::runtime {
namespace {

// Returns the compiler options.
// * Multiply-adds are contracted on GPUs as everywhere in Bifocal, but not on a CPU: its compilers
//   contract the work-items of a vector differently from the remaining work-items.
// * NaN, infinities and signed zeros keep their meaning (no -cl-fast-relaxed-math).
// * Division and square root are rounded as on a CPU if the device supports it; OpenCL otherwise
//   allows errors of 2.5 and 3 ulp.
// * The environment variable BIFOCAL_OPENCL_OPTIONS adds further options.
std::string options_of(const Kernel& kernel, const DeviceInfo& device, bool exact_division,
                       int nvidia_capability) {
  std::string options = "-cl-std=CL1.2";
  options += device.is_gpu ? " -cl-mad-enable" : " -D NO_CONTRACTION=1";
  if (exact_division) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  if (device.inline_ptx) options += fmt::format(" -D INLINE_PTX=1 -D LOCKSTEP={}", device.lockstep);
  if (nvidia_capability > 0) options += fmt::format(" -D NVIDIA_CAPABILITY={}", nvidia_capability);
  for (const auto& [name, value] : kernel.constants)
    options += fmt::format(" -D {}={}", name, value);
  if (const char* more = std::getenv("BIFOCAL_OPENCL_OPTIONS")) options += fmt::format(" {}", more);
  return options;
}

std::string build_log(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  if (cl().clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) !=
      CL_SUCCESS)
    return "(the driver has no log)";
  std::string log(size, '\0');
  cl().clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  return log;
}

// Returns the compiled binary; empty if the driver does not provide it.
std::string binary_of(cl_program program) {
  std::size_t size = 0;
  if (cl().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) !=
      CL_SUCCESS)
    return {};
  std::string binary(size, '\0');
  unsigned char* bytes = reinterpret_cast<unsigned char*>(binary.data());
  if (size == 0 || cl().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes,
                                         nullptr) != CL_SUCCESS)
    return {};
  return binary;
}

}  // namespace

ClProgram OpenClBackend::build_source(std::string_view source, const std::string& options,
                                      const std::string& source_name) {
  const char* characters = source.data();
  const std::size_t length = source.size();
  cl_int code = CL_SUCCESS;
  ClProgram program(cl().clCreateProgramWithSource(context(), 1, &characters, &length, &code));
  check_opencl(code, label(), "clCreateProgramWithSource");
  code = cl().clBuildProgram(program.get(), 1, &device_, options.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS)
    throw Error(ErrorCode::device,
                fmt::format("{}: the OpenCL source '{}' does not build with {}: {}\n{}", label(),
                            source_name, options, opencl_error_name(code),
                            build_log(program.get(), device_)));
  return program;
}

// Returns nullptr if the driver rejects the binary.
ClProgram OpenClBackend::build_binary(const std::string& binary, const std::string& options) {
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t length = binary.size();
  cl_int status = CL_SUCCESS, code = CL_SUCCESS;
  ClProgram program(
      cl().clCreateProgramWithBinary(context(), 1, &device_, &length, &bytes, &status, &code));
  if (code != CL_SUCCESS || status != CL_SUCCESS) return nullptr;
  code = cl().clBuildProgram(program.get(), 1, &device_, options.c_str(), nullptr, nullptr);
  return code == CL_SUCCESS ? std::move(program) : nullptr;
}

ClProgram OpenClBackend::build_cached(std::string_view source, const std::string& options,
                                      const std::string& source_name) {
  const ProgramKey key{source, options, info_.name, info_.driver, platform_version_};
  if (const std::string binary = read_cached_program(key); !binary.empty())
    if (ClProgram program = build_binary(binary, options)) return program;
  ClProgram program = build_source(source, options, source_name);
  if (const std::string binary = binary_of(program.get()); !binary.empty())
    write_cached_program(key, binary);
  return program;
}

cl_program OpenClBackend::program(const std::string& source_name, const std::string& line,
                                  const std::string& options) {
  const std::lock_guard lock(build_mutex_);
  ClProgram& program = programs_[source_name + '\n' + line + '\n' + options];
  if (!program)
    program = build_cached(std::string(opencl_source(source_name)) + '\n' + line + '\n', options,
                           source_name);
  return program.get();
}

ClKernel OpenClBackend::make_kernel(const Kernel& kernel) {
  cl_program from = program(kernel.source, kernel.opencl_line,
                            options_of(kernel, info_, exact_division_, nvidia_capability_));
  cl_int code = CL_SUCCESS;
  ClKernel made(cl().clCreateKernel(from, kernel.entry.c_str(), &code));
  if (code != CL_SUCCESS)
    throw Error(ErrorCode::device,
                fmt::format("{}: no kernel {} in the OpenCL source '{}': {}", label(), kernel.entry,
                            kernel.source, opencl_error_name(code)));
  return made;
}

}  // namespace bifocal::runtime
