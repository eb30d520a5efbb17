// SPDX-License-Identifier: BSD-3-Clause
// Scratch memory of a queue, kept from call to call: work that is repeated at the same size
// allocates nothing.
//
//   Workspace workspace(queue);
//   Buffer<double> kept = workspace.take<double>(100 * n);
//   launch(queue, kernel, ..., {kept, ...});
//
// What is taken is free again when the Workspace ends: later work of the queue comes after the work
// that used it. Workspaces of a queue nest, the inner ending first.
#pragma once

#include <bifocal/device.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace bifocal::runtime {

// The memory itself, one a queue. Blocks are as large as what was asked for; when the outermost
// workspace begins, several become one.
struct Arena {
  struct Block {
    std::shared_ptr<BackendMemory> memory;
    std::size_t bytes = 0, used = 0;
    std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<BackendMemory>> slices;
  };
  std::vector<Block> blocks;
  int depth = 0;

  void join_blocks(const Device& device);
  [[nodiscard]] std::shared_ptr<BackendMemory> take(const Device& device, std::size_t bytes);
};

class Workspace {
 public:
  explicit Workspace(Queue& queue);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Memory for `size` numbers, not initialised, that starts at a multiple of 512 bytes.
  template <class T>
  [[nodiscard]] Buffer<T> take(std::size_t size) {
    return {size == 0 ? nullptr : take_bytes(size, sizeof(T)), size};
  }

 private:
  [[nodiscard]] std::shared_ptr<BackendMemory> take_bytes(std::size_t size, std::size_t each);
  Device device_;
  Arena& arena_;
  std::vector<std::size_t> used_before_;  // of every block
};

}  // namespace bifocal::runtime
