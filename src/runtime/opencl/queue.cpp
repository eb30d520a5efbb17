// SPDX-License-Identifier: BSD-3-Clause
// An in-order OpenCL queue: copies and launches.
#include <fmt/format.h>

#include <deque>

#include "runtime/opencl/backend.hpp"

namespace bifocal::runtime {
namespace {

class OpenClQueue final : public BackendQueue {
 public:
  explicit OpenClQueue(OpenClBackend& backend)
      : backend_(backend), label_(backend.label()), queue_(backend.make_cl_queue()) {
    backend_.add(*this);
  }
  ~OpenClQueue() override {
    backend_.remove(*this);
    cl().clFinish(queue_.get());
  }

  void wait() override { check_opencl(cl().clFinish(queue_.get()), label_, "waiting for work"); }

  void upload(BackendMemory& to, const Rectangle& r, const void* from) override {
    cl_mem memory = static_cast<const OpenClMemory&>(to).get();
    cl_int code = CL_SUCCESS;
    if (r.rows == 1) {
      code = cl().clEnqueueWriteBuffer(queue_.get(), memory, CL_FALSE, r.offset, r.row_bytes, from,
                                       0, nullptr, nullptr);
    } else {
      const Region region(r);
      code = cl().clEnqueueWriteBufferRect(queue_.get(), memory, CL_FALSE, region.device,
                                           region.host, region.size, r.pitch, 0, r.host_pitch, 0,
                                           from, 0, nullptr, nullptr);
    }
    finish(code, "copying to the device");
  }

  void download(const BackendMemory& from, const Rectangle& r, void* to) override {
    cl_mem memory = static_cast<const OpenClMemory&>(from).get();
    cl_int code = CL_SUCCESS;
    if (r.rows == 1) {
      code = cl().clEnqueueReadBuffer(queue_.get(), memory, CL_FALSE, r.offset, r.row_bytes, to, 0,
                                      nullptr, nullptr);
    } else {
      const Region region(r);
      code = cl().clEnqueueReadBufferRect(queue_.get(), memory, CL_FALSE, region.device,
                                          region.host, region.size, r.pitch, 0, r.host_pitch, 0, to,
                                          0, nullptr, nullptr);
    }
    finish(code, "copying from the device");
  }

  void launch(const Kernel& kernel, const Launch& launch,
              std::span<const Argument> arguments) override {
    cl_kernel function = find_kernel(kernel);
    cl_uint index = 0;
    for (const Argument& argument : arguments) {
      set_argument(function, kernel, index, argument);
      ++index;
    }
    if (launch.local_bytes > 0)
      check(kernel, "its local memory",
            cl().clSetKernelArg(function, index, launch.local_bytes, nullptr));
    const std::size_t group = static_cast<std::size_t>(launch.group_size);
    const std::size_t global = static_cast<std::size_t>(launch.groups) * group;
    check(kernel, "launch",
          cl().clEnqueueNDRangeKernel(queue_.get(), function, 1, nullptr, &global, &group, 0,
                                      nullptr, nullptr));
    check(kernel, "launch", cl().clFlush(queue_.get()));
  }

  // OpenCL reports neither registers nor occupancy.
  KernelResources resources(const Kernel& kernel, const Launch& launch) override {
    cl_kernel function = find_kernel(kernel);
    const auto bytes = [&](cl_kernel_work_group_info which) {
      cl_ulong number = 0;
      check(kernel, "resources",
            cl().clGetKernelWorkGroupInfo(function, backend_.device(), which, sizeof number,
                                          &number, nullptr));
      return static_cast<std::int64_t>(number);
    };
    return {.entry = kernel.entry,
            .groups = launch.groups,
            .group_size = launch.group_size,
            .private_bytes = bytes(CL_KERNEL_PRIVATE_MEM_SIZE),
            .local_bytes = bytes(CL_KERNEL_LOCAL_MEM_SIZE)};
  }

 private:
  // Origins and size of a rectangular copy.
  struct Region {
    explicit Region(const Rectangle& r)
        : device{r.offset % r.pitch, r.offset / r.pitch, 0}, size{r.row_bytes, r.rows, 1} {}
    std::size_t device[3], host[3] = {0, 0, 0}, size[3];
  };

  void finish(cl_int code, const char* what) {
    check_opencl(code, label_, what);
    check_opencl(cl().clFlush(queue_.get()), label_, what);
  }

  void check(const Kernel& kernel, const std::string& what, cl_int code) const {
    if (code != CL_SUCCESS)
      throw Error(ErrorCode::device, fmt::format("{}: kernel {}: {}: {}", label_, kernel.entry,
                                                 what, opencl_error_name(code)));
  }

  void set_argument(cl_kernel function, const Kernel& kernel, cl_uint index,
                    const Argument& argument) {
    // Null for null arrays, because NVIDIA's driver does not accept a null address.
    cl_mem memory = nullptr;
    if (argument.memory()) memory = static_cast<const OpenClMemory&>(*argument.memory()).get();
    const bool is_buffer = argument.is_memory();
    const cl_int code =
        cl().clSetKernelArg(function, index, is_buffer ? sizeof memory : argument.size(),
                            is_buffer ? &memory : argument.value());
    if (code != CL_SUCCESS) check(kernel, fmt::format("argument {}", index), code);
  }

  // Returns the kernel object. A queue has few kernels, so a list suffices; the most recently
  // created kernel comes first.
  cl_kernel find_kernel(const Kernel& kernel) {
    for (const CachedKernel& cached : kernels_)
      if (cached.entry == kernel.entry && cached.constants == kernel.constants &&
          cached.source == kernel.source)
        return cached.function.get();
    kernels_.push_front(
        {kernel.entry, kernel.source, kernel.constants, backend_.make_kernel(kernel)});
    return kernels_.front().function.get();
  }

  struct CachedKernel {
    std::string entry, source;
    std::vector<std::pair<std::string, int>> constants;
    ClKernel function;
  };

  OpenClBackend& backend_;
  std::string label_;
  std::deque<CachedKernel> kernels_;
  ClQueue queue_;
};

}  // namespace

std::unique_ptr<BackendQueue> make_opencl_queue(OpenClBackend& backend) {
  return std::make_unique<OpenClQueue>(backend);
}

}  // namespace bifocal::runtime
