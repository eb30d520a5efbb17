// SPDX-License-Identifier: BSD-3-Clause
// An OpenCL device with its context, its memory and the programs built for it.
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "runtime/backend.hpp"
#include "runtime/opencl/api.hpp"

namespace bifocal::runtime {

// Returns the reason why all devices of a platform with this version (CL_PLATFORM_VERSION) are
// rejected; empty if they are not.
[[nodiscard]] std::string opencl_driver_fault(const std::string& platform_version);

class OpenClBackend final : public Backend {
 public:
  OpenClBackend(DeviceInfo info, cl_device_id device, std::string platform_version);
  std::shared_ptr<BackendMemory> allocate(std::size_t bytes) override;
  std::shared_ptr<BackendMemory> slice(const std::shared_ptr<BackendMemory>& memory,
                                       std::size_t offset, std::size_t bytes) override;
  std::unique_ptr<BackendQueue> make_queue() override;
  void* allocate_host(std::size_t bytes) override;
  void free_host(void* memory) noexcept override;
  [[nodiscard]] bool is_page_locked(const void* address) const override;

  // Returns a new kernel object, because arguments are set on it. Builds the program on its first
  // use in this process.
  [[nodiscard]] ClKernel make_kernel(const Kernel& kernel);
  // Sets info().inline_ptx.
  void try_inline_ptx();
  // Returns the context, which is created on first use, not when devices are listed.
  [[nodiscard]] cl_context context();
  [[nodiscard]] ClQueue make_cl_queue();
  [[nodiscard]] cl_device_id device() const { return device_; }
  void released(std::size_t bytes) { allocated_ -= static_cast<std::int64_t>(bytes); }

 private:
  // line: appended to the source.
  [[nodiscard]] cl_program program(const std::string& source_name, const std::string& line,
                                   const std::string& options);
  // Builds a program, or loads it from the cache.
  [[nodiscard]] ClProgram build_cached(std::string_view source, const std::string& options,
                                       const std::string& source_name);
  [[nodiscard]] ClProgram build_source(std::string_view source, const std::string& options,
                                       const std::string& source_name);
  [[nodiscard]] ClProgram build_binary(const std::string& binary, const std::string& options);
  [[noreturn]] void out_of_memory(cl_int code, std::size_t bytes) const;

  struct PageLocked {
    ClMemory memory;
    std::size_t bytes = 0;
  };

  cl_device_id device_;
  std::string platform_version_;
  std::size_t slice_alignment_ = 0;
  bool exact_division_ = false;  // of float, on request
  int nvidia_capability_ = 0;    // 90 means 9.0; 0 for other vendors
  std::once_flag context_made_;
  ClContext context_;
  std::atomic<std::int64_t> allocated_ = 0;
  std::mutex build_mutex_;
  std::map<std::string, ClProgram> programs_;  // by source name, line and options
  mutable std::mutex host_mutex_;
  ClQueue host_queue_;  // maps and unmaps page-locked memory
  std::map<const char*, PageLocked> page_locked_;
};

class OpenClMemory final : public BackendMemory {
 public:
  OpenClMemory(OpenClBackend& owner, ClMemory memory, std::size_t bytes,
               std::shared_ptr<BackendMemory> whole = nullptr)
      : BackendMemory(owner, nullptr, bytes),
        backend_(owner),
        whole_(std::move(whole)),
        memory_(std::move(memory)) {}
  ~OpenClMemory() override {
    if (!whole_) backend_.released(bytes());
  }
  [[nodiscard]] cl_mem get() const { return memory_.get(); }

 private:
  OpenClBackend& backend_;
  std::shared_ptr<BackendMemory> whole_;  // of a slice
  ClMemory memory_;
};

[[nodiscard]] std::unique_ptr<BackendQueue> make_opencl_queue(OpenClBackend& backend);

}  // namespace bifocal::runtime
