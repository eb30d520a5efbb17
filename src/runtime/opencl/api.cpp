// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/opencl/api.hpp"

#include <bifocal/error.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <utility>

namespace bifocal::runtime {
namespace {

// Opens the OpenCL loader, which stays open until the process ends, because drivers do not
// survive being unloaded.
const OpenClApi* open_loader() {
  for (const char* file : {"libOpenCL.so.1", "libOpenCL.so"}) {
    void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) continue;
    auto api = std::make_unique<OpenClApi>();
    bool complete = true;
#define BIFOCAL_LOAD(name)                                                        \
  api->name = reinterpret_cast<decltype(OpenClApi::name)>(dlsym(library, #name)); \
  complete = complete && api->name;
    BIFOCAL_OPENCL_FUNCTIONS(BIFOCAL_LOAD)
#undef BIFOCAL_LOAD
    if (complete) return api.release();
  }
  return nullptr;
}

constexpr std::array kErrorNames = {
#define BIFOCAL_NAME(code) std::pair<cl_int, const char*>(code, #code)
    BIFOCAL_NAME(CL_DEVICE_NOT_FOUND),
    BIFOCAL_NAME(CL_DEVICE_NOT_AVAILABLE),
    BIFOCAL_NAME(CL_COMPILER_NOT_AVAILABLE),
    BIFOCAL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    BIFOCAL_NAME(CL_OUT_OF_RESOURCES),
    BIFOCAL_NAME(CL_OUT_OF_HOST_MEMORY),
    BIFOCAL_NAME(CL_BUILD_PROGRAM_FAILURE),
    BIFOCAL_NAME(CL_MAP_FAILURE),
    BIFOCAL_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    BIFOCAL_NAME(CL_INVALID_VALUE),
    BIFOCAL_NAME(CL_INVALID_DEVICE),
    BIFOCAL_NAME(CL_INVALID_CONTEXT),
    BIFOCAL_NAME(CL_INVALID_QUEUE_PROPERTIES),
    BIFOCAL_NAME(CL_INVALID_COMMAND_QUEUE),
    BIFOCAL_NAME(CL_INVALID_MEM_OBJECT),
    BIFOCAL_NAME(CL_INVALID_BINARY),
    BIFOCAL_NAME(CL_INVALID_BUILD_OPTIONS),
    BIFOCAL_NAME(CL_INVALID_PROGRAM),
    BIFOCAL_NAME(CL_INVALID_PROGRAM_EXECUTABLE),
    BIFOCAL_NAME(CL_INVALID_KERNEL_NAME),
    BIFOCAL_NAME(CL_INVALID_KERNEL_DEFINITION),
    BIFOCAL_NAME(CL_INVALID_KERNEL),
    BIFOCAL_NAME(CL_INVALID_ARG_INDEX),
    BIFOCAL_NAME(CL_INVALID_ARG_VALUE),
    BIFOCAL_NAME(CL_INVALID_ARG_SIZE),
    BIFOCAL_NAME(CL_INVALID_KERNEL_ARGS),
    BIFOCAL_NAME(CL_INVALID_WORK_GROUP_SIZE),
    BIFOCAL_NAME(CL_INVALID_WORK_ITEM_SIZE),
    BIFOCAL_NAME(CL_INVALID_OPERATION),
    BIFOCAL_NAME(CL_INVALID_BUFFER_SIZE),
#undef BIFOCAL_NAME
    std::pair<cl_int, const char*>(-1001, "CL_PLATFORM_NOT_FOUND_KHR"),
};

}  // namespace

const OpenClApi* find_opencl_api() {
  static const OpenClApi* const api = open_loader();
  return api;
}

const OpenClApi& cl() { return *find_opencl_api(); }

std::string opencl_error_name(cl_int code) {
  for (const auto& [known, name] : kErrorNames)
    if (known == code) return fmt::format("{} ({})", name, code);
  return fmt::format("OpenCL error {}", code);
}

void check_opencl(cl_int code, const std::string& device, const char* what) {
  if (code != CL_SUCCESS)
    throw Error(ErrorCode::device,
                fmt::format("{}: {}: {}", device, what, opencl_error_name(code)));
}

}  // namespace bifocal::runtime
