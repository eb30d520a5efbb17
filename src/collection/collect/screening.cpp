// SPDX-License-Identifier: BSD-3-Clause
// The screen of PairChoice::all, block by block of the images that memory has room for.
#include <bifocal/cancel.hpp>

#include <algorithm>
#include <mutex>
#include <tuple>

#include "collection/collect/resident.hpp"
#include "collection/collect/stages.hpp"

namespace bifocal::collection {
namespace {

// So many pairs keep a device busy and end soon enough.
constexpr std::size_t kPairsAtOnce = 1 << 15;

}  // namespace

std::vector<ScreenedPair> screen(const Job& job, std::span<const ImagePair> pairs, int images) {
  const ScreenOptions& options = job.options.screen;
  const std::int64_t bytes = kBytesOfFeature * options.features;
  int resident = images;
  for (const Device& device : job.devices.devices())
    resident = std::min(resident, images_on(job, device, images, bytes));
  StageProgress progress(job.options, "pairs", "pairs", static_cast<std::int64_t>(pairs.size()), 0);
  PairWalk walk(blocks_of(pairs, resident >= images ? std::max(1, images) : resident / 2));
  std::vector<ScreenedPair> all;
  std::mutex mutex;
  DeviceTeam team(job.devices);
  team.run([&](const Device& device) {
    Queue queue(device);
    WorkFile work(job.work_file, WorkFile::Mode::open);
    ResidentFeatures features(queue, work, options.features, images_on(job, device, images, bytes));
    DeviceMatches found;
    PairWalk::Part last;
    while (!team.has_failed()) {
      check_cancelled();
      const PairWalk::Part part = walk.next(last, kPairsAtOnce);
      if (!part.block) break;
      if (part.block != last.block) features.enter(*part.block);
      last = part;
      match(queue, features.set(), features.slots_of(part.pairs), {.max_ratio = options.max_ratio},
            found);
      queue.wait();
      const std::lock_guard lock(mutex);
      for (std::size_t k = 0; k < part.pairs.size(); ++k)
        all.push_back({part.pairs[k], static_cast<int>(found.offsets[k + 1] - found.offsets[k])});
      progress.add(static_cast<std::int64_t>(part.pairs.size()));
    }
  });
  std::ranges::sort(all, [](const ScreenedPair& a, const ScreenedPair& b) {
    return std::tuple(a.pair.image1, a.pair.image2) < std::tuple(b.pair.image1, b.pair.image2);
  });
  return all;
}

}  // namespace bifocal::collection
