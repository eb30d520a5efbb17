// SPDX-License-Identifier: BSD-3-Clause
// Programs of an OpenCL device, built from the embedded texts at run time.
#include <fmt/format.h>

#include "runtime/opencl_backend.hpp"
#include "runtime/opencl_text.hpp"

namespace bifocal::runtime {
namespace {

// Contracted multiply-adds as everywhere else in Bifocal, but nothing that breaks NaN, infinities
// or signed zeros (no -cl-fast-relaxed-math).
std::string options_of(const Kernel& kernel) {
  std::string options = "-cl-std=CL1.2 -cl-mad-enable";
  for (const auto& [name, value] : kernel.constants)
    options += fmt::format(" -D {}={}", name, value);
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

}  // namespace

ClProgram OpenClBackend::build(const std::string& text_name, const std::string& options) {
  const std::string_view text = opencl_text(text_name);
  const char* source = text.data();
  const std::size_t length = text.size();
  cl_int code = CL_SUCCESS;
  ClProgram program(cl().clCreateProgramWithSource(context(), 1, &source, &length, &code));
  check_opencl(code, label(), "clCreateProgramWithSource");
  code = cl().clBuildProgram(program.get(), 1, &device_, options.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS)
    throw Error(
        ErrorCode::device,
        fmt::format("{}: the OpenCL text '{}' does not build with {}: {}\n{}", label(), text_name,
                    options, opencl_error_name(code), build_log(program.get(), device_)));
  return program;
}

cl_program OpenClBackend::program(const std::string& text_name, const std::string& options) {
  const std::lock_guard lock(build_mutex_);
  ClProgram& program = programs_[text_name + '\n' + options];
  if (!program) program = build(text_name, options);
  return program.get();
}

ClKernel OpenClBackend::make_kernel(const Kernel& kernel) {
  cl_program from = program(kernel.text, options_of(kernel));
  cl_int code = CL_SUCCESS;
  ClKernel made(cl().clCreateKernel(from, kernel.entry.c_str(), &code));
  if (code != CL_SUCCESS)
    throw Error(ErrorCode::device,
                fmt::format("{}: no kernel {} in the OpenCL text '{}': {}", label(), kernel.entry,
                            kernel.text, opencl_error_name(code)));
  return made;
}

}  // namespace bifocal::runtime
