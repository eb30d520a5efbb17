// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/workspace.hpp"

#include <fmt/format.h>

#include "runtime/backend.hpp"

namespace bifocal::runtime {
namespace {

constexpr std::size_t kMostSlices = 64;  // slices remembered per block

Arena& arena_of(Queue& queue) {
  std::unique_ptr<Arena>& arena = runtime::backend_of(queue).arena;
  if (!arena) arena = std::make_unique<Arena>();
  return *arena;
}

}  // namespace

void Arena::join_blocks(const Device& device) {
  if (blocks.size() < 2) return;
  std::size_t bytes = 0;
  for (const Block& block : blocks) bytes += block.bytes;
  blocks.clear();  // first, so that old and new memory need not coexist
  blocks.push_back({allocate(device, bytes), bytes, 0, {}});
}

std::shared_ptr<BackendMemory> Arena::take(const Device& device, std::size_t bytes) {
  const std::size_t whole = (bytes + kSliceAlignment - 1) / kSliceAlignment * kSliceAlignment;
  // Allocates only after all slices in use, because nested workspaces free in reverse order.
  std::size_t at = blocks.size();
  while (at > 0 && blocks[at - 1].used == 0) --at;
  if (at > 0 && blocks[at - 1].bytes - blocks[at - 1].used >= whole) --at;
  while (at < blocks.size() && blocks[at].bytes - blocks[at].used < whole) ++at;
  if (at == blocks.size()) blocks.push_back({allocate(device, whole), whole, 0, {}});
  Block& block = blocks[at];
  if (block.slices.size() >= kMostSlices) block.slices.clear();
  std::shared_ptr<BackendMemory>& slice = block.slices[{block.used, bytes}];
  if (!slice)
    slice = wait_on_failure(*runtime::backend_of(device), [&] {
      return runtime::backend_of(device)->slice(block.memory, block.used, bytes);
    });
  block.used += whole;
  return slice;
}

Workspace::Workspace(Queue& queue) : device_(queue.device()), arena_(arena_of(queue)) {
  if (arena_.depth == 0) arena_.join_blocks(device_);
  ++arena_.depth;
  for (const Arena::Block& block : arena_.blocks) used_before_.push_back(block.used);
}

Workspace::~Workspace() {
  --arena_.depth;
  used_before_.resize(arena_.blocks.size());
  for (std::size_t b = 0; b < used_before_.size(); ++b) arena_.blocks[b].used = used_before_[b];
}

std::shared_ptr<BackendMemory> Workspace::take_bytes(std::size_t size, std::size_t each) {
  if (size > static_cast<std::size_t>(PTRDIFF_MAX) / 2 / each)
    throw Error(ErrorCode::usage, fmt::format("a workspace of {} numbers is too large", size));
  return arena_.take(device_, size * each);
}

}  // namespace bifocal::runtime
