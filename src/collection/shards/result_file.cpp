// SPDX-License-Identifier: BSD-3-Clause
#include "collection/shards/result_file.hpp"

#include <fmt/format.h>
#include <bifocal/io.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <span>
#include <utility>

#include "io/reject.hpp"

namespace bifocal::colmap {
namespace {

constexpr std::string_view kMagic = "BFSHARD\n";
constexpr std::uint32_t kResultVersion = 1;
constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325, kFnvPrime = 0x100000001b3;
constexpr std::size_t kHead = 8 + 4 + 4 + 32 + 8, kSum = 8;

std::uint64_t summed(std::uint64_t sum, std::string_view bytes) {
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * kFnvPrime;
  return sum;
}

// Appends the bytes of an array or a number.
template <class Values>
requires(!std::integral<Values>) void append(std::string& to, const Values& values) {
  const auto bytes = std::as_bytes(std::span(values));
  to.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
template <std::integral T>
void append(std::string& to, T value) {
  append(to, std::span(&value, 1));
}

// Reads numbers from the front. If too few bytes remain, the reader stays in the state `ended`.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  template <class Values>
  void take(Values&& out) {
    const auto to = std::as_writable_bytes(std::span(out));
    if (rest_.size() < to.size()) return end();
    if (!to.empty()) std::memcpy(to.data(), rest_.data(), to.size());
    rest_.remove_prefix(to.size());
  }
  template <class T>
  T take() {
    T value{};
    take(std::span(&value, 1));
    return value;
  }
  std::string_view text(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  void end() { ended_ = true; }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  std::string_view rest_;
  bool ended_ = false;
};

// Visits the arrays of a row, which follow its head.
template <class Geometry, class Visit>
void for_arrays(Geometry& g, const Visit& visit) {
  visit(std::span(g.inliers));
  for (auto* matrix : {&g.F, &g.E, &g.H})
    if (*matrix) visit(std::span(**matrix));
  if (!g.cam2_from_cam1) return;
  visit(std::span(g.cam2_from_cam1->R));
  visit(std::span(g.cam2_from_cam1->t));
}

std::string bytes_of(const ShardRow& row) {
  const TwoViewGeometry& g = row.geometry;
  const std::uint32_t known =
      (g.F ? 1U : 0U) | (g.E ? 2U : 0U) | (g.H ? 4U : 0U) | (g.cam2_from_cam1 ? 8U : 0U);
  std::string out;
  const std::uint32_t head[] = {
      row.pair.image1, row.pair.image2, static_cast<std::uint32_t>(g.configuration),
      known,           row.matches,     static_cast<std::uint32_t>(g.inliers.size())};
  append(out, head);
  for_arrays(g, [&](auto values) { append(out, values); });
  return out;
}

bool finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double v) { return std::isfinite(v); });
}
bool finite(std::span<const IndexPair> /*whole*/) { return true; }

// A row read for a planned pair; `fault` is empty if the row is valid.
struct TakenRow {
  ShardRow row;
  std::string fault;
};
TakenRow take_row(Bytes& bytes, const PlannedPair& planned) {
  std::uint32_t head[6] = {};
  bytes.take(head);
  const auto [image1, image2, configuration, known, matches, inliers] = head;
  if (bytes.ended()) return {};
  if (image1 != planned.pair.image1 || image2 != planned.pair.image2 || matches != planned.matches)
    return {{},
            fmt::format("has {} matches of images {} and {}, planned are {} of {} and {}", matches,
                        image1, image2, planned.matches, planned.pair.image1, planned.pair.image2)};
  if (configuration > static_cast<std::uint32_t>(Configuration::calibrated_rig) || known > 15 ||
      inliers > matches)
    return {{},
            fmt::format("is damaged: images {} and {} have configuration {}, known {}, {} of {} "
                        "matches",
                        image1, image2, configuration, known, inliers, matches)};
  TakenRow out{{planned.pair, matches, {}}, {}};
  if (inliers > bytes.left() / sizeof(IndexPair)) return bytes.end(), out;
  TwoViewGeometry& g = out.row.geometry;
  g.configuration = static_cast<Configuration>(configuration);
  g.inliers.resize(inliers);
  if (known & 1U) g.F.emplace();
  if (known & 2U) g.E.emplace();
  if (known & 4U) g.H.emplace();
  if (known & 8U) g.cam2_from_cam1.emplace();
  bool is_finite = true;
  for_arrays(g, [&](auto values) {
    bytes.take(values);
    is_finite = is_finite && finite(values);
  });
  if (!is_finite)
    out.fault =
        fmt::format("is damaged: the geometry of images {} and {} is not finite", image1, image2);
  return out;
}

// Returns the largest possible size of the shard's result file, in bytes.
std::int64_t most_bytes(std::span<const PlannedPair> list) {
  constexpr std::int64_t kRow = 6 * 4 + (9 + 9 + 9 + 12) * 8, kInlier = 2 * 4;
  std::int64_t bytes = kHead + kSum;
  for (const PlannedPair& p : list) bytes += kRow + kInlier * p.matches;
  return bytes;
}

// Returns the reason why the file is not a complete result of this shard; empty if it is.
std::string fault_of(std::string_view bytes, const Plan& plan, int shard) {
  if (bytes.size() < kHead + kSum) return fmt::format("is cut short, has {} bytes", bytes.size());
  Bytes head(bytes);
  if (head.text(kMagic.size()) != kMagic) return "is no result of a shard";
  if (const auto version = head.take<std::uint32_t>(); version != kResultVersion)
    return fmt::format("has version {}, this program writes {}", version, kResultVersion);
  const std::string_view content = bytes.substr(0, bytes.size() - kSum);
  Bytes tail(bytes.substr(content.size()));
  if (checksum_of(content) != tail.take<std::uint64_t>()) return "is damaged: its checksum differs";
  if (const auto of = head.take<std::uint32_t>(); of != static_cast<std::uint32_t>(shard))
    return fmt::format("is of shard {}", of);
  if (head.text(plan.hash.size()) != plan.hash) return "is of another plan";
  const auto pairs = static_cast<std::int64_t>(head.take<std::uint64_t>());
  if (pairs != planned_pairs(plan, shard))
    return fmt::format("has {} pairs, planned are {}", pairs, planned_pairs(plan, shard));
  return {};
}

}  // namespace

std::filesystem::path result_file(const Plan& plan, int shard) {
  return plan.folder / fmt::format("shard-{}.result", shard);
}

ResultWriter::ResultWriter(const Plan& plan, int shard, std::size_t pairs)
    : file_(result_file(plan, shard)), sum_(kFnvStart) {
  std::string head(kMagic);
  append(head, kResultVersion);
  append(head, static_cast<std::uint32_t>(shard));
  head += plan.hash;
  append(head, static_cast<std::uint64_t>(pairs));
  put(head);
}

void ResultWriter::put(const std::string& bytes) {
  sum_ = summed(sum_, bytes);
  file_.write(bytes);
}

void ResultWriter::add(const ShardRow& row) { put(bytes_of(row)); }

void ResultWriter::commit() {
  std::string sum;
  append(sum, sum_);
  file_.write(sum);
  file_.commit();
}

std::uint64_t checksum_of(std::string_view bytes) { return summed(kFnvStart, bytes); }

ShardContent parse_result(std::string_view bytes, const Plan& plan, int shard,
                          std::span<const PlannedPair> list) {
  ShardContent content;
  content.fault = fault_of(bytes, plan, shard);
  if (!content.fault.empty()) return content;
  Bytes rest(bytes.substr(kHead, bytes.size() - kHead - kSum));
  for (const PlannedPair& planned : list) {
    TakenRow taken = take_row(rest, planned);
    if (!taken.fault.empty()) return {{}, std::move(taken.fault)};
    if (rest.ended()) break;
    content.rows.push_back(std::move(taken.row));
  }
  if (rest.ended() || rest.left() != 0) return {{}, "is damaged: its rows don't fill it"};
  return content;
}

ShardContent read_result(const Plan& plan, int shard) {
  const std::filesystem::path file = result_file(plan, shard);
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return {{}, "is missing"};
  try {
    const std::vector<PlannedPair> list = read_list(plan, shard);
    return parse_result(read_file(file, most_bytes(list)), plan, shard, list);
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

std::string why_not_done(const Plan& plan, int shard) { return read_result(plan, shard).fault; }

}  // namespace bifocal::colmap
