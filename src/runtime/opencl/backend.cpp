// SPDX-License-Identifier: BSD-3-Clause
// Finds the OpenCL devices and manages their memory.
#include "runtime/opencl/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace bifocal::runtime {
namespace {

// Constants of the extensions cl_nv_device_attribute_query and cl_intel_required_subgroup_size;
// devices without them return an error.
constexpr cl_device_info kCapabilityMajor = 0x4000, kCapabilityMinor = 0x4001, kWarpSize = 0x4003,
                         kSubgroupSizes = 0x4108;

// Queries a text from the driver and removes padding that some drivers add; returns an empty
// text on failure.
template <class Query, class Object>
std::string text_of(Query query, Object object, cl_uint what) {
  std::size_t size = 0;
  if (query(object, what, 0, nullptr, &size) != CL_SUCCESS || size == 0 || size > 1 << 16)
    return {};
  std::string text(size, '\0');
  if (query(object, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  return text_of(cl().clGetPlatformInfo, platform, what);
}
std::string device_text(cl_device_id device, cl_device_info what) {
  return text_of(cl().clGetDeviceInfo, device, what);
}

template <class T>
T device_number(cl_device_id device, cl_device_info what) {
  T value{};
  if (cl().clGetDeviceInfo(device, what, sizeof value, &value, nullptr) != CL_SUCCESS) return T{};
  return value;
}

int largest_subgroup(cl_device_id device) {
  std::size_t sizes[16] = {}, bytes = 0;
  if (cl().clGetDeviceInfo(device, kSubgroupSizes, sizeof sizes, sizes, &bytes) != CL_SUCCESS)
    return 0;
  return static_cast<int>(*std::max_element(sizes, sizes + bytes / sizeof *sizes));
}

std::vector<cl_platform_id> platforms_of(cl_int& code) {
  cl_uint count = 0;
  code = cl().clGetPlatformIDs(0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0) return {};
  std::vector<cl_platform_id> platforms(count);
  code = cl().clGetPlatformIDs(count, platforms.data(), nullptr);
  if (code != CL_SUCCESS) platforms.clear();
  return platforms;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform, cl_int& code) {
  cl_uint count = 0;
  code = cl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0) return {};
  std::vector<cl_device_id> devices(count);
  code = cl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
  if (code != CL_SUCCESS) devices.clear();
  return devices;
}

// Returns the reason why a device cannot be used; empty if it can.
std::string fault_of(cl_device_id device, const std::string& platform_version) {
  if (const std::string fault = opencl_driver_fault(platform_version); !fault.empty()) return fault;
  if (!device_number<cl_bool>(device, CL_DEVICE_AVAILABLE)) return "is not available";
  if (!device_number<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE)) return "has no compiler";
  const std::string version = device_text(device, CL_DEVICE_VERSION);
  if (version < "OpenCL 1.2") return "speaks " + version + ", and 1.2 is needed";
  return {};
}

DeviceInfo info_of(cl_platform_id platform, cl_device_id device) {
  DeviceInfo info;
  info.kind = DeviceKind::opencl;
  info.name = device_text(device, CL_DEVICE_NAME);
  info.driver = fmt::format("{}, {} ({})", device_text(device, CL_DRIVER_VERSION),
                            platform_text(platform, CL_PLATFORM_NAME),
                            platform_text(platform, CL_PLATFORM_VERSION));
  info.cores = static_cast<int>(device_number<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS));
  info.memory =
      static_cast<std::int64_t>(device_number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE));
  info.largest_buffer =
      static_cast<std::int64_t>(device_number<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  info.local_memory =
      static_cast<std::int64_t>(device_number<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE));
  info.max_group =
      static_cast<int>(device_number<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  info.has_double = device_number<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  info.is_gpu = (device_number<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
  info.lockstep = std::max(1, static_cast<int>(device_number<cl_uint>(device, kWarpSize)));
  info.subgroup = std::max(info.lockstep > 1 ? info.lockstep : 0, largest_subgroup(device));
  info.tensor_cores = device_number<cl_uint>(device, kCapabilityMajor) >= 7;
  info.group_code = info.is_gpu;
  return info;
}

struct Found {
  DeviceInfo info;
  cl_device_id device;
  std::string platform_version;
};

constexpr const char* kInstallDriver =
    "install an OpenCL driver (Debian: pocl-opencl-icd for the CPU, nvidia-opencl-icd, "
    "intel-opencl-icd or mesa-opencl-icd for a GPU)";

}  // namespace

// Rejects PoCL 5: version 5.0 (LLVM 16, Ubuntu 24.04) compiles the kernels for matching and SSD
// incorrectly, crashes, and aborts the process on group code with barriers. Versions 3.1 and 6.0
// pass the tests.
std::string opencl_driver_fault(const std::string& platform_version) {
  if (platform_version.find("PoCL 5.") == std::string::npos) return {};
  return "compiles kernels wrongly (" + platform_version + "); PoCL 3.1 and 6.0 do not";
}

Devices find_opencl_devices() {
  if (!find_opencl_api())
    return {{},
            "there is no OpenCL loader (libOpenCL.so.1)",
            std::string("install ocl-icd-libopencl1 and then ") + kInstallDriver};
  cl_int code = CL_SUCCESS;
  const std::vector<cl_platform_id> platforms = platforms_of(code);
  if (platforms.empty())
    return {{},
            fmt::format("the OpenCL loader finds no driver ({})", opencl_error_name(code)),
            kInstallDriver};
  std::vector<Found> found;
  std::string faults;
  for (cl_platform_id platform : platforms) {
    const std::string name = platform_text(platform, CL_PLATFORM_NAME),
                      version = platform_text(platform, CL_PLATFORM_VERSION);
    const std::vector<cl_device_id> devices = devices_of(platform, code);
    if (devices.empty())
      faults += fmt::format("; driver {}: no device ({})", name, opencl_error_name(code));
    for (cl_device_id device : devices) {
      const std::string fault = fault_of(device, version);
      if (fault.empty())
        found.push_back({info_of(platform, device), device, name + ' ' + version});
      else
        faults +=
            fmt::format("; driver {}: {} {}", name, device_text(device, CL_DEVICE_NAME), fault);
    }
  }
  if (found.empty()) return {{}, "no OpenCL device can be used" + faults, kInstallDriver};
  // GPUs come first, so that "opencl" selects a GPU if one exists.
  std::stable_partition(found.begin(), found.end(), [](const Found& f) { return f.info.is_gpu; });
  Devices devices;
  if (!faults.empty()) devices = {{}, faults.substr(2), kInstallDriver};
  for (Found& f : found) {
    f.info.id = fmt::format("opencl:{}", devices.backends.size());
    const auto backend =
        std::make_shared<OpenClBackend>(std::move(f.info), f.device, f.platform_version);
    backend->try_inline_ptx();
    devices.backends.push_back(backend);
  }
  return devices;
}

OpenClBackend::OpenClBackend(DeviceInfo info, cl_device_id device, std::string platform_version)
    : Backend(std::move(info)),
      device_(device),
      platform_version_(std::move(platform_version)),
      slice_alignment_(device_number<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8),
      exact_division_((device_number<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG) &
                       CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0),
      nvidia_capability_(10 * static_cast<int>(device_number<cl_uint>(device, kCapabilityMajor)) +
                         static_cast<int>(device_number<cl_uint>(device, kCapabilityMinor))) {}

// Tests inline PTX by compiling a probe. Only devices with warps are tested, because other
// compilers may abort the process on an unknown instruction.
void OpenClBackend::try_inline_ptx() {
  if (info_.lockstep == 1) return;
  try {
    (void)build_cached(
        "kernel void probe(global uint* lane) { uint r; asm(\"mov.u32 %0, %%laneid;\" : "
        "\"=r\"(r)); "
        "*lane = r; }",
        "-cl-std=CL1.2", "probe of inline PTX");
    info_.inline_ptx = true;
  } catch (const Error&) {  // not supported
  }
}

cl_context OpenClBackend::context() {
  std::call_once(context_made_, [this] {
    cl_int code = CL_SUCCESS;
    context_.reset(cl().clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code));
    check_opencl(code, label(), "clCreateContext");
  });
  return context_.get();
}

ClQueue OpenClBackend::make_cl_queue() {
  cl_int code = CL_SUCCESS;
  ClQueue queue(cl().clCreateCommandQueue(context(), device_, 0, &code));  // in order
  check_opencl(code, label(), "clCreateCommandQueue");
  return queue;
}

std::unique_ptr<BackendQueue> OpenClBackend::make_queue() { return make_opencl_queue(*this); }

// Throws an out-of-memory error. OpenCL cannot report free memory; the estimate subtracts the
// allocations of this process.
void OpenClBackend::out_of_memory(cl_int code, std::size_t bytes) const {
  throw Error(ErrorCode::device,
              fmt::format("{}: out of memory: {} bytes requested, {} of {} free, {} at once at "
                          "most ({})",
                          label(), bytes, std::max<std::int64_t>(0, info_.memory - allocated_),
                          info_.memory, info_.largest_buffer, opencl_error_name(code)));
}

std::shared_ptr<BackendMemory> OpenClBackend::allocate(std::size_t bytes) {
  // Checked here, because drivers that allocate lazily would fail in the middle of the work.
  if (info_.memory > 0 && bytes > static_cast<std::size_t>(info_.memory))
    out_of_memory(CL_MEM_OBJECT_ALLOCATION_FAILURE, bytes);
  cl_int code = CL_SUCCESS;
  ClMemory memory(cl().clCreateBuffer(context(), CL_MEM_READ_WRITE, bytes, nullptr, &code));
  if (code != CL_SUCCESS) out_of_memory(code, bytes);
  allocated_ += static_cast<std::int64_t>(bytes);
  return std::make_shared<OpenClMemory>(*this, std::move(memory), bytes);
}

std::shared_ptr<BackendMemory> OpenClBackend::slice(const std::shared_ptr<BackendMemory>& memory,
                                                    std::size_t offset, std::size_t bytes) {
  if (slice_alignment_ > kSliceAlignment && offset % slice_alignment_ != 0)
    return allocate(bytes);  // the device cannot start a buffer at this offset
  // NVIDIA's driver crashes when a sub-buffer is released (version 580.159), so a separate
  // buffer is allocated.
  if (nvidia_capability_ > 0) return allocate(bytes);
  const cl_buffer_region region{offset, bytes};
  cl_int code = CL_SUCCESS;
  ClMemory part(cl().clCreateSubBuffer(static_cast<const OpenClMemory&>(*memory).get(),
                                       CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region,
                                       &code));
  check_opencl(code, label(), "clCreateSubBuffer");
  return std::make_shared<OpenClMemory>(*this, std::move(part), bytes, memory);
}

// Allocates host memory through the driver, which is page-locked on GPUs that need it. The buffer
// stays mapped for its whole lifetime.
void* OpenClBackend::allocate_host(std::size_t bytes) {
  const std::lock_guard lock(host_mutex_);
  if (!host_queue_) host_queue_ = make_cl_queue();
  cl_int code = CL_SUCCESS;
  ClMemory memory(cl().clCreateBuffer(context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes,
                                      nullptr, &code));
  if (code != CL_SUCCESS) out_of_memory(code, bytes);
  void* address =
      cl().clEnqueueMapBuffer(host_queue_.get(), memory.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                              0, bytes, 0, nullptr, nullptr, &code);
  if (code != CL_SUCCESS) out_of_memory(code, bytes);
  page_locked_[static_cast<const char*>(address)] = {std::move(memory), bytes};
  return address;
}

void OpenClBackend::free_host(void* memory) noexcept {
  const std::lock_guard lock(host_mutex_);
  const auto found = page_locked_.find(static_cast<const char*>(memory));
  if (found == page_locked_.end()) return;
  cl().clEnqueueUnmapMemObject(host_queue_.get(), found->second.memory.get(), memory, 0, nullptr,
                               nullptr);
  cl().clFinish(host_queue_.get());
  page_locked_.erase(found);
}

bool OpenClBackend::is_page_locked(const void* address) const {
  const std::lock_guard lock(host_mutex_);
  const char* byte = static_cast<const char*>(address);
  const auto next = page_locked_.upper_bound(byte);
  if (next == page_locked_.begin()) return false;
  const auto& [begin, block] = *std::prev(next);
  return byte < begin + block.bytes;
}

}  // namespace bifocal::runtime
