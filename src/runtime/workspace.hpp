// SPDX-License-Identifier: BSD-3-Clause
// Scratch memory of a queue, kept between calls: repeated work of the same size
// allocates no memory.
//
//   Workspace workspace(queue);
//   Buffer<double> kept = workspace.take<double>(100 * n);
//   launch(queue, kernel, ..., {kept, ...});
//
// Memory taken from a Workspace is free again when the Workspace ends, because later work of the
// queue runs after the work that used it. Workspaces of a queue nest; the inner must end first.
#pragma once

#include <bifocal/device.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace bifocal::runtime {

// The scratch memory, one object per queue. A block is as large as the request that created it;
// when the outermost workspace begins, several blocks are joined into one.
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

  // Returns uninitialised memory for `size` numbers, aligned to 512 bytes.
  template <class T>
  [[nodiscard]] Buffer<T> take(std::size_t size) {
    return {size == 0 ? nullptr : take_bytes(size, sizeof(T)), size};
  }

 private:
  [[nodiscard]] std::shared_ptr<BackendMemory> take_bytes(std::size_t size, std::size_t each);
  Device device_;
  Arena& arena_;
  std::vector<std::size_t> used_before_;  // by block
};

}  // namespace bifocal::runtime
