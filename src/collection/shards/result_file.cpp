// SPDX-License-Identifier: BSD-3-Clause
#include "collection/shards/result_file.hpp"

#include <fmt/format.h>
#include <bifocal/io.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "io/little_endian.hpp"
#include "io/reject.hpp"

namespace bifocal::colmap {
namespace {

constexpr std::string_view kMagic = "BFSHARD\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325, kFnvPrime = 0x100000001b3;
constexpr std::size_t kHead = 8 + 4 + 4 + 32 + 8, kSum = 8;

std::uint64_t summed(std::uint64_t sum, std::string_view bytes) {
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * kFnvPrime;
  return sum;
}

template <class T>
void append(std::string& to, std::span<const T> values) {
  std::vector<T> little(values.begin(), values.end());
  io::swap_unless_little(std::span<T>(little));
  const std::size_t at = to.size();
  to.resize(at + little.size() * sizeof(T));
  if (!little.empty()) std::memcpy(to.data() + at, little.data(), little.size() * sizeof(T));
}

template <class T>
void append(std::string& to, T value) {
  append(to, std::span<const T>(&value, 1));
}

// Takes numbers from the front; once there are too few bytes it stays at `ended`.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  void take(std::span<T> out) {
    if (rest_.size() / sizeof(T) < out.size()) {
      ended_ = true;
      std::fill(out.begin(), out.end(), T{});
      return;
    }
    if (!out.empty()) std::memcpy(out.data(), rest_.data(), out.size_bytes());
    rest_.remove_prefix(out.size_bytes());
    io::swap_unless_little(out);
  }
  template <class T>
  T take() {
    T value{};
    take(std::span<T>(&value, 1));
    return value;
  }
  std::string_view text(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  std::string_view rest_;
  bool ended_ = false;
};

std::string bytes_of(const ShardRow& row) {
  const TwoViewGeometry& g = row.geometry;
  const std::uint32_t known =
      (g.F ? 1U : 0U) | (g.E ? 2U : 0U) | (g.H ? 4U : 0U) | (g.cam2_from_cam1 ? 8U : 0U);
  std::string out;
  const std::uint32_t head[] = {
      row.pair.image1, row.pair.image2, static_cast<std::uint32_t>(g.configuration),
      known,           row.matches,     static_cast<std::uint32_t>(g.inliers.size())};
  append(out, std::span<const std::uint32_t>(head));
  std::vector<std::uint32_t> indices;
  indices.reserve(2 * g.inliers.size());
  for (const IndexPair& m : g.inliers) indices.insert(indices.end(), {m.index1, m.index2});
  append(out, std::span<const std::uint32_t>(indices));
  for (const auto* matrix : {&g.F, &g.E, &g.H})
    if (*matrix) append(out, std::span<const double>(**matrix));
  if (g.cam2_from_cam1) {
    append(out, std::span<const double>(g.cam2_from_cam1->R));
    append(out, std::span<const double>(g.cam2_from_cam1->t));
  }
  return out;
}

ShardRow take_row(Bytes& bytes) {
  std::uint32_t head[6] = {};
  bytes.take(std::span<std::uint32_t>(head));
  ShardRow row{{head[0], head[1]}, head[4], {}};
  TwoViewGeometry& g = row.geometry;
  g.configuration = static_cast<Configuration>(head[2]);
  std::vector<std::uint32_t> indices(
      std::min<std::size_t>(2 * std::size_t{head[5]}, bytes.left() / sizeof(std::uint32_t)));
  bytes.take(std::span(indices));
  g.inliers.resize(indices.size() / 2);
  for (std::size_t i = 0; i < g.inliers.size(); ++i)
    g.inliers[i] = {indices[2 * i], indices[2 * i + 1]};
  std::optional<Mat3>* const matrices[] = {&g.F, &g.E, &g.H};
  for (unsigned k = 0; k < 3; ++k)
    if (head[3] & (1U << k)) bytes.take(std::span<double>(matrices[k]->emplace()));
  if (head[3] & 8U) {
    Pose& pose = g.cam2_from_cam1.emplace();
    bytes.take(std::span<double>(pose.R));
    bytes.take(std::span<double>(pose.t));
  }
  return row;
}

// Empty for a file that is whole and of this shard.
std::string fault_of(std::string_view bytes, const Plan& plan, int shard) {
  if (bytes.size() < kHead + kSum) return fmt::format("is cut short, has {} bytes", bytes.size());
  Bytes head(bytes);
  if (head.text(kMagic.size()) != kMagic) return "is no result of a shard";
  if (const auto version = head.take<std::uint32_t>(); version != kVersion)
    return fmt::format("has version {}, this program writes {}", version, kVersion);
  const std::string_view content = bytes.substr(0, bytes.size() - kSum);
  Bytes tail(bytes.substr(content.size()));
  if (summed(kFnvStart, content) != tail.take<std::uint64_t>())
    return "is damaged: its checksum is another";
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

std::filesystem::path list_file(const std::filesystem::path& folder, int shard) {
  return folder / fmt::format("shard-{}.pairs", shard);
}

std::int64_t planned_pairs(const Plan& plan, int shard) {
  return std::min(plan.pairs_per_shard, plan.pairs - shard * plan.pairs_per_shard);
}

ResultWriter::ResultWriter(const Plan& plan, int shard, std::size_t pairs)
    : file_(result_file(plan, shard)), sum_(kFnvStart) {
  std::string head(kMagic);
  append(head, kVersion);
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

ShardContent read_result(const Plan& plan, int shard) {
  const std::filesystem::path file = result_file(plan, shard);
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return {{}, "is missing"};
  std::string bytes;
  try {
    bytes = read_file(file, std::numeric_limits<std::int64_t>::max() / 4);
  } catch (const Error& error) {
    return {{}, error.what()};
  }
  ShardContent content;
  content.fault = fault_of(bytes, plan, shard);
  if (!content.fault.empty()) return content;
  Bytes rest(std::string_view(bytes).substr(kHead, bytes.size() - kHead - kSum));
  for (std::int64_t k = 0; k < planned_pairs(plan, shard) && !rest.ended(); ++k)
    content.rows.push_back(take_row(rest));
  if (rest.ended() || rest.left() != 0) content.fault = "is damaged: its rows don't fill it";
  return content;
}

std::string why_not_done(const Plan& plan, int shard) { return read_result(plan, shard).fault; }

}  // namespace bifocal::colmap
