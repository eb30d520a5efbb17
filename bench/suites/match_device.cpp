// SPDX-License-Identifier: BSD-3-Clause
// Matching of resident images on a GPU: one pair from call to list on the host, and batches whose
// results stay on the device.
#include <bifocal/matching.hpp>

#include <fmt/format.h>

#include "features/matching/match_device.hpp"
#include "match_suite.hpp"
#include "peers/gpu_peers.hpp"

namespace bifocal::bench {
namespace {

using features::TableKernel;

constexpr int kMostOfPeer = 8192;  // rows; more would take a second per call

struct Shape {
  int rows, columns;
};

FeatureSet images(Queue& queue, const Shape& shape, int count) {
  FeatureSet set(queue.device());
  for (int k = 0; k < count; ++k)
    set.add(queue, random_image(k % 2 == 0 ? shape.rows : shape.columns, unsigned(k)));
  return set;
}

Record record_of(const Context& context, const std::string& name, const Sample& sample,
                 std::int64_t pairs, const Shape& shape, std::int64_t matches) {
  Record record;
  record.suite = "match";
  record.case_name = name;
  record.device = context.device;
  record.unit = "ms";
  record.value = sample.median * 1e3 / double(pairs), record.mad = sample.mad * 1e3 / double(pairs);
  record.runs = sample.runs;
  record.extra["pairs"] = pairs;
  record.extra["pairs_per_s"] = double(pairs) / sample.median;
  record.extra["matches_a_pair"] = double(matches) / double(pairs);
  record.extra["tera_operations_per_s"] =
      2e-12 * kDescriptorBytes * shape.rows * shape.columns * double(pairs) / sample.median;
  return record;
}

void time_alone(Context& context, Queue& queue, const Shape& shape) {
  const std::string name = fmt::format("match/{}x{}/alone", shape.rows, shape.columns);
  if (!context.wanted(name)) return;
  const FeatureSet set = images(queue, shape, 2);
  const ImagePair pair{0, 1};
  std::int64_t matches = 0;
  PeerCall peer;
  if (queue.device().info().kind == DeviceKind::cuda && shape.rows <= kMostOfPeer)
    peer = cudasift_match(shape.rows, shape.columns);
  const Comparison taken = measure_with_peer(
      [&] {
        matches = match(queue, set, {&pair, 1}).offsets.back();
      },
      peer);
  Record record = record_of(context, name, taken.ours, 1, shape, matches);
  record.reference = taken.reference("CudaSift, one way", 1e3);
  context.report(record);
}

void time_batch(Context& context, Queue& queue, const Shape& shape, const std::string& variant,
                const MatchOptions& options, TableKernel table = TableKernel::best) {
  const std::string name = fmt::format("match/{}x{}/batch{}", shape.rows, shape.columns, variant);
  if (!context.wanted(name)) return;
  constexpr int kImages = 32;
  const FeatureSet set = images(queue, shape, kImages);
  std::vector<ImagePair> pairs;
  for (int i = 0; i < kImages; i += 2)
    for (int j = 1; j < kImages; j += 2)
      for (int k = 0; k < 4; ++k) pairs.push_back({i, j});
  DeviceMatches found;
  const Sample sample = measure([&] {
    found.offsets.assign(1, 0);
    features::match_on_device(queue, features::plan_set(queue, set, pairs.size()), pairs, {},
                              options, found, table);
    queue.wait();
  });
  context.report(
      record_of(context, name, sample, std::int64_t(pairs.size()), shape, found.offsets.back()));
}

}  // namespace

void run_match_device(Context& context) {
  Queue queue{Device(context.device)};
  const Shape full_hd{3700, 3600}, cap{8192, 8192};
  time_alone(context, queue, full_hd);
  if (!queue.device().info().is_gpu) return;  // minutes per case
  time_alone(context, queue, cap);
  time_alone(context, queue, {100000, 100000});
  for (const Shape& shape : {full_hd, cap}) {
    time_batch(context, queue, shape, "", {});
    time_batch(context, queue, shape, "/one_way", {0.8, false});
    time_batch(context, queue, shape, "/ratio_both_ways", {0.8, true, true});
    time_batch(context, queue, shape, "/tensor", {}, TableKernel::tensor);
    time_batch(context, queue, shape, "/portable", {}, TableKernel::portable);
  }
}

}  // namespace bifocal::bench
