// SPDX-License-Identifier: BSD-3-Clause
// CUDA devices through the runtime API. The runtime is linked statically and opens the driver at
// run time: on a machine without a driver the list of devices is empty.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/backend.hpp"
#include "runtime/download_tray.hpp"

namespace bifocal::runtime {
namespace {

// Returns the error's text and clears the error in the runtime, so that a later call does not
// report it again. Errors that break the context remain.
std::string error_text(cudaError_t code) {
  (void)cudaGetLastError();
  return fmt::format("{} ({})", cudaGetErrorString(code), cudaGetErrorName(code));
}

bool succeeded(cudaError_t code) { return code == cudaSuccess || (cudaGetLastError(), false); }

void check_cuda(cudaError_t code, const std::string& device, const std::string& what) {
  if (code != cudaSuccess)
    throw Error(ErrorCode::device, fmt::format("{}: {}: {}", device, what, error_text(code)));
}

// Makes a device current in this thread and restores the previous device afterwards, because the
// caller may use CUDA, too.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) : device_(device) {
    if (cudaGetDevice(&before_) != cudaSuccess) before_ = -1;
    if (before_ != device_) (void)cudaSetDevice(device_);
  }
  ~CurrentDevice() {
    if (before_ >= 0 && before_ != device_) (void)cudaSetDevice(before_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int device_, before_ = -1;
};

class CudaBackend final : public Backend {
 public:
  CudaBackend(DeviceInfo info, int device) : Backend(std::move(info)), device_(device) {}
  std::shared_ptr<BackendMemory> allocate(std::size_t bytes) override;
  std::shared_ptr<BackendMemory> slice(const std::shared_ptr<BackendMemory>& memory,
                                       std::size_t offset, std::size_t bytes) override;
  std::unique_ptr<BackendQueue> make_queue() override;
  void* allocate_host(std::size_t bytes) override;
  void free_host(void* memory) noexcept override;
  [[nodiscard]] bool is_page_locked(const void* address) const override;
  [[nodiscard]] bool can_run(const void* function) override {
    const CurrentDevice current(device_);
    cudaFuncAttributes attributes{};
    return succeeded(cudaFuncGetAttributes(&attributes, function));
  }

  [[nodiscard]] int device() const { return device_; }
  // Allows a function to use the given dynamic shared memory; requests it from the driver if it is
  // more than before. The device must be current.
  [[nodiscard]] cudaError_t allow_shared(const void* function, std::size_t bytes);

 private:
  int device_;
  std::mutex shared_mutex_;
  std::map<const void*, std::size_t> shared_;  // largest size allowed so far
};

class CudaMemory final : public BackendMemory {
 public:
  CudaMemory(const CudaBackend& owner, void* address, std::size_t bytes)
      : BackendMemory(owner, address, bytes), device_(owner.device()) {}
  ~CudaMemory() override {  // waits for the work that uses the memory
    const CurrentDevice current(device_);
    (void)cudaFree(address());
  }

 private:
  int device_;
};

class CudaGraph final : public BackendGraph {
 public:
  CudaGraph(int device, std::string label, cudaStream_t stream, cudaGraphExec_t graph)
      : device_(device), label_(std::move(label)), stream_(stream), graph_(graph) {}
  ~CudaGraph() override {
    const CurrentDevice current(device_);
    (void)cudaGraphExecDestroy(graph_);  // takes effect once its work is done
  }
  void launch() override {
    const CurrentDevice current(device_);
    check_cuda(cudaGraphLaunch(graph_, stream_), label_, "launching recorded work");
  }

 private:
  int device_;
  std::string label_;
  cudaStream_t stream_;
  cudaGraphExec_t graph_;
};

class CudaQueue final : public BackendQueue {
 public:
  explicit CudaQueue(CudaBackend& backend) : backend_(backend), label_(backend.label()) {
    const CurrentDevice current(backend_.device());
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), label_,
               "making a stream");
    backend_.add(*this);
  }
  ~CudaQueue() override {  // waits for the queue's work
    backend_.remove(*this);
    const CurrentDevice current(backend_.device());
    (void)cudaStreamSynchronize(stream_);
    (void)cudaStreamDestroy(stream_);
  }

  void wait() override {
    const CurrentDevice current(backend_.device());
    const std::lock_guard lock(tray_mutex_);
    const cudaError_t code = cudaStreamSynchronize(stream_);
    if (code == cudaSuccess) {
      tray_.hand_out();
    } else if (!is_recording_) {  // copies submitted before the recording are still pending
      tray_.clear();
    }
    check_cuda(code, label_, "waiting for work");
  }

  // Accepts device and host addresses in `from`: the driver distinguishes them.
  void upload(BackendMemory& to, const Rectangle& r, const void* from) override {
    const CurrentDevice current(backend_.device());
    char* device = static_cast<char*>(to.address()) + r.offset;
    check_cuda(r.rows == 1 ? cudaMemcpyAsync(device, from, r.row_bytes, cudaMemcpyDefault, stream_)
                           : cudaMemcpy2DAsync(device, r.pitch, from, r.host_pitch, r.row_bytes,
                                               r.rows, cudaMemcpyDefault, stream_),
               label_, "copying to the device");
  }

  // One row goes through the tray, if it has room, and arrives with wait(); several rows and
  // recorded downloads are copied to `to` directly. If wait() fails, rows in the tray are lost.
  void download(const BackendMemory& from, const Rectangle& r, void* to) override {
    const CurrentDevice current(backend_.device());
    const char* device = static_cast<const char*>(from.address()) + r.offset;
    const std::lock_guard lock(tray_mutex_);
    if (r.rows == 1 && !is_recording_) {
      if (void* const place = tray_.place(backend_, to, r.row_bytes)) to = place;
    }
    check_cuda(r.rows == 1
                   ? cudaMemcpyAsync(to, device, r.row_bytes, cudaMemcpyDeviceToHost, stream_)
                   : cudaMemcpy2DAsync(to, r.host_pitch, device, r.pitch, r.row_bytes, r.rows,
                                       cudaMemcpyDeviceToHost, stream_),
               label_, "copying from the device");
  }

  void launch(const Kernel& kernel, const Launch& launch,
              std::span<const Argument> arguments) override {
    if (!kernel.cuda) {
      std::string wanted;
      for (const auto& [name, value] : kernel.constants)
        wanted += fmt::format(" {} = {}", name, value);
      fail(kernel, "this build holds no CUDA variant with" + wanted +
                       " (BIFOCAL_CUDA_VARIANTS=all has every one)");
    }
    void* values[kMostArguments];
    if (arguments.size() > kMostArguments)
      fail(kernel, fmt::format("{} arguments are too many", arguments.size()));
    for (std::size_t i = 0; i < arguments.size(); ++i)
      values[i] = const_cast<void*>(arguments[i].value());
    const CurrentDevice current(backend_.device());
    cudaError_t code = cudaSuccess;
    if (launch.local_bytes > 0) code = backend_.allow_shared(kernel.cuda, launch.local_bytes);
    if (code == cudaSuccess)
      code = cudaLaunchKernel(kernel.cuda, dim3(static_cast<unsigned>(launch.groups)),
                              dim3(static_cast<unsigned>(launch.group_size)), values,
                              launch.local_bytes, stream_);
    if (code != cudaSuccess)
      fail(kernel, fmt::format("{} groups of {}, {} bytes of shared memory: {}", launch.groups,
                               launch.group_size, launch.local_bytes, error_text(code)));
  }

  KernelResources resources(const Kernel& kernel, const Launch& launch) override {
    const CurrentDevice current(backend_.device());
    int blocks = 0, threads = 0;
    cudaFuncAttributes function{};
    cudaError_t code = cudaFuncGetAttributes(&function, kernel.cuda);
    if (code == cudaSuccess)
      code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.cuda, launch.group_size,
                                                           launch.local_bytes);
    if (code == cudaSuccess)
      code = cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor,
                                    backend_.device());
    check_cuda(code, label_, "resources of kernel " + kernel.entry);
    const double spread = 1.0 * launch.groups / backend_.info().cores,
                 share = (launch.group_size + 31) / 32 * 32.0 / threads;  // whole warps
    return {.entry = kernel.entry,
            .groups = launch.groups,
            .group_size = launch.group_size,
            .registers = function.numRegs,
            .private_bytes = static_cast<std::int64_t>(function.localSizeBytes),
            .local_bytes = static_cast<std::int64_t>(function.sharedSizeBytes + launch.local_bytes),
            .resident_groups = blocks,
            .occupancy = blocks * share,
            .launched_occupancy = std::min(1.0 * blocks, spread) * share};
  }

  // Returns null if the work cannot be recorded; other exceptions than Error pass.
  std::unique_ptr<BackendGraph> record(const std::function<void()>& work) override {
    const CurrentDevice current(backend_.device());
    check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), label_,
               "recording work");
    is_recording_ = true;
    bool recorded = true;
    try {
      work();
    } catch (const Error&) {
      // Work that waits or allocates cannot be recorded. A real error reappears when it runs.
      recorded = false;
    } catch (...) {
      end_capture();
      throw;
    }
    cudaGraph_t graph = end_capture();
    cudaGraphExec_t executable = nullptr;
    if (graph && recorded && cudaGraphInstantiateWithFlags(&executable, graph, 0) != cudaSuccess)
      executable = nullptr;
    if (graph) (void)cudaGraphDestroy(graph);
    (void)cudaGetLastError();
    if (!executable) return nullptr;
    return std::make_unique<CudaGraph>(backend_.device(), label_, stream_, executable);
  }

 private:
  cudaGraph_t end_capture() {
    is_recording_ = false;
    cudaGraph_t graph = nullptr;
    if (cudaStreamEndCapture(stream_, &graph) != cudaSuccess) graph = nullptr;
    return graph;
  }

  [[noreturn]] void fail(const Kernel& kernel, const std::string& why) const {
    throw Error(ErrorCode::device, fmt::format("{}: kernel {}: {}", label_, kernel.entry, why));
  }

  CudaBackend& backend_;
  std::string label_;
  cudaStream_t stream_ = nullptr;
  bool is_recording_ = false;  // recorded work runs many times, so its copies bypass the tray
  std::mutex tray_mutex_;      // wait_for_queues() waits from other threads
  DownloadTray tray_;
};

std::shared_ptr<BackendMemory> CudaBackend::allocate(std::size_t bytes) {
  const CurrentDevice current(device_);
  void* memory = nullptr;
  const cudaError_t code = cudaMalloc(&memory, bytes);
  if (code == cudaErrorMemoryAllocation) {
    const std::string text = error_text(code);
    std::size_t free = 0, total = 0;
    (void)cudaMemGetInfo(&free, &total);
    throw Error(ErrorCode::device,
                fmt::format("{}: out of memory: {} bytes requested, {} of {} free ({})", label(),
                            bytes, free, total, text));
  }
  check_cuda(code, label(), fmt::format("allocating {} bytes", bytes));
  return std::make_shared<CudaMemory>(*this, memory, bytes);
}

std::shared_ptr<BackendMemory> CudaBackend::slice(const std::shared_ptr<BackendMemory>& memory,
                                                  std::size_t offset, std::size_t bytes) {
  return std::make_shared<MemorySlice>(memory, offset, bytes);
}

std::unique_ptr<BackendQueue> CudaBackend::make_queue() {
  return std::make_unique<CudaQueue>(*this);
}

void* CudaBackend::allocate_host(std::size_t bytes) {
  const CurrentDevice current(device_);
  void* memory = nullptr;
  check_cuda(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), label(),
             fmt::format("allocating {} bytes of page-locked memory of the host", bytes));
  return memory;
}

void CudaBackend::free_host(void* memory) noexcept {
  const CurrentDevice current(device_);
  (void)cudaFreeHost(memory);
}

bool CudaBackend::is_page_locked(const void* address) const {
  const CurrentDevice current(device_);
  cudaPointerAttributes attributes{};
  return succeeded(cudaPointerGetAttributes(&attributes, address)) &&
         attributes.type == cudaMemoryTypeHost;
}

cudaError_t CudaBackend::allow_shared(const void* function, std::size_t bytes) {
  const std::lock_guard lock(shared_mutex_);
  std::size_t& allowed = shared_[function];
  if (bytes <= allowed) return cudaSuccess;
  const cudaError_t code = cudaFuncSetAttribute(
      function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (code == cudaSuccess) allowed = bytes;
  return code;
}

// Returns "580.95.05" from "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue ...".
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    const std::size_t dot = word.find('.');
    if (dot != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  }
  return {};
}

std::string cuda_version(int version) {  // 13000: 13.0
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

DeviceInfo info_of(const cudaDeviceProp& properties, int device, const std::string& driver) {
  DeviceInfo info;
  info.id = fmt::format("cuda:{}", device);
  info.kind = DeviceKind::cuda;
  info.name = properties.name;
  info.driver =
      fmt::format("{}, compute capability {}.{}", driver, properties.major, properties.minor);
  info.cores = properties.multiProcessorCount;
  info.memory = static_cast<std::int64_t>(properties.totalGlobalMem);
  info.largest_buffer = info.memory;
  info.local_memory = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  info.max_group = properties.maxThreadsPerBlock;
  info.is_gpu = true;
  info.lockstep = properties.warpSize;
  info.inline_ptx = true;
  info.tensor_cores = properties.major >= 7;
  info.group_code = true;
  return info;
}

}  // namespace

// Returns the devices; if the list is empty, also the reason and the remedy.
Devices find_cuda_devices() {
  int version = 0, count = 0;
  if (!succeeded(cudaDriverGetVersion(&version)) || version == 0)
    return {{},
            "there is no NVIDIA driver (libcuda.so.1)",
            "on a machine with an NVIDIA GPU install its driver (Debian: nvidia-driver)"};
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaErrorInsufficientDriver)
    return {{},
            fmt::format("the NVIDIA driver knows CUDA {}, and this build needs {}",
                        cuda_version(version), cuda_version(CUDART_VERSION)),
            "install a newer NVIDIA driver"};
  if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0)) {
    (void)cudaGetLastError();
    return {{},
            "the NVIDIA driver finds no GPU",
            "check nvidia-smi and CUDA_VISIBLE_DEVICES; a container has to be given the GPU"};
  }
  if (code != cudaSuccess)
    return {{}, "CUDA does not start: " + error_text(code), "check nvidia-smi"};
  std::string driver = driver_version();
  driver += fmt::format("{}CUDA {}", driver.empty() ? "" : ", ", cuda_version(version));
  Devices devices;
  std::string too_old;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    if (!succeeded(cudaGetDeviceProperties(&properties, device))) continue;
    if (10 * properties.major + properties.minor < BIFOCAL_LEAST_CUDA_ARCH) {
      too_old += fmt::format("{}{} has compute capability {}.{}", too_old.empty() ? "" : ", ",
                             properties.name, properties.major, properties.minor);
    } else {
      devices.backends.push_back(
          std::make_shared<CudaBackend>(info_of(properties, device, driver), device));
    }
  }
  if (!too_old.empty()) {
    devices.reason = fmt::format("{}; this build has kernels for {}.{} and later", too_old,
                                 BIFOCAL_LEAST_CUDA_ARCH / 10, BIFOCAL_LEAST_CUDA_ARCH % 10);
    devices.remedy = "build Bifocal with that architecture in BIFOCAL_CUDA_ARCHS";
    return devices;
  }
  if (devices.backends.empty()) return {{}, "no CUDA device says what it is", "check nvidia-smi"};
  return devices;
}

}  // namespace bifocal::runtime
