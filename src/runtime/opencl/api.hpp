// SPDX-License-Identifier: BSD-3-Clause
// Access to OpenCL through its loader, which is opened at run time, so that a program with Bifocal
// also starts on a machine without OpenCL.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <memory>
#include <string>
#include <type_traits>

namespace bifocal::runtime {

#define BIFOCAL_OPENCL_FUNCTIONS(X) \
  X(clGetPlatformIDs)               \
  X(clGetPlatformInfo)              \
  X(clGetDeviceIDs)                 \
  X(clGetDeviceInfo)                \
  X(clCreateContext)                \
  X(clReleaseContext)               \
  X(clCreateCommandQueue)           \
  X(clReleaseCommandQueue)          \
  X(clCreateBuffer)                 \
  X(clCreateSubBuffer)              \
  X(clReleaseMemObject)             \
  X(clCreateProgramWithSource)      \
  X(clCreateProgramWithBinary)      \
  X(clBuildProgram)                 \
  X(clGetProgramInfo)               \
  X(clGetProgramBuildInfo)          \
  X(clReleaseProgram)               \
  X(clCreateKernel)                 \
  X(clReleaseKernel)                \
  X(clGetKernelInfo)                \
  X(clGetKernelWorkGroupInfo)       \
  X(clSetKernelArg)                 \
  X(clEnqueueNDRangeKernel)         \
  X(clEnqueueWriteBuffer)           \
  X(clEnqueueReadBuffer)            \
  X(clEnqueueWriteBufferRect)       \
  X(clEnqueueReadBufferRect)        \
  X(clEnqueueMapBuffer)             \
  X(clEnqueueUnmapMemObject)        \
  X(clFlush)                        \
  X(clFinish)

struct OpenClApi {
#define BIFOCAL_MEMBER(name) std::add_pointer_t<decltype(::name)> name = nullptr;
  BIFOCAL_OPENCL_FUNCTIONS(BIFOCAL_MEMBER)
#undef BIFOCAL_MEMBER
};

// Returns nullptr if this machine has no loader.
[[nodiscard]] const OpenClApi* find_opencl_api();
// Returns the functions of the loader. Only for code that has a device, which implies a loader.
[[nodiscard]] const OpenClApi& cl();

// Returns the name and number of an error code, such as "CL_OUT_OF_RESOURCES (-5)".
[[nodiscard]] std::string opencl_error_name(cl_int code);
// Throws Error(device), "opencl:0 (name): what: CL_...", for any code except CL_SUCCESS.
void check_opencl(cl_int code, const std::string& device, const char* what);

template <auto Release>
struct OpenClReleaser {
  template <class T>
  void operator()(T* object) const {
    (cl().*Release)(object);
  }
};
template <class T, auto Release>
using OpenClHandle = std::unique_ptr<std::remove_pointer_t<T>, OpenClReleaser<Release>>;

using ClContext = OpenClHandle<cl_context, &OpenClApi::clReleaseContext>;
using ClQueue = OpenClHandle<cl_command_queue, &OpenClApi::clReleaseCommandQueue>;
using ClMemory = OpenClHandle<cl_mem, &OpenClApi::clReleaseMemObject>;
using ClProgram = OpenClHandle<cl_program, &OpenClApi::clReleaseProgram>;
using ClKernel = OpenClHandle<cl_kernel, &OpenClApi::clReleaseKernel>;

}  // namespace bifocal::runtime
