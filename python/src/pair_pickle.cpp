// SPDX-License-Identifier: BSD-3-Clause
// Pickled state of a Pair: its members as bytes, and the state of its rectification.
#include <bifocal/version.hpp>

#include <cstring>
#include <type_traits>

#include "pair.hpp"
#include "rectify_pickle.hpp"

namespace bifocal::python {
namespace {

constexpr std::string_view kFormat = "bifocal pair 1, version " BIFOCAL_VERSION;

template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

[[noreturn]] void refuse() {
  value_error("this pickle of a Pair is damaged, or of another version or platform of bifocal");
}

// Checksum of the bytes; FNV-1a with words of 8 bytes instead of bytes.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    sum = (sum ^ word) * 0x100000001b3u;
    sum ^= sum >> 32;
  }
  return sum;
}

// Appends values to bytes. A value, or an element of an array, is preceded by its size.
struct Writer {
  std::string bytes;

  void raw(const void* from, std::size_t size) {
    bytes.append(static_cast<const char*>(from), size);
  }
  template <Plain T>
  void one(const T& value) {
    const std::uint64_t size = sizeof value;
    raw(&size, sizeof size);
    raw(&value, sizeof value);
  }
  std::size_t count(std::size_t n) {
    one(std::uint64_t{n});
    return n;
  }
  template <Plain T>
  void array(const std::vector<T>& values) {
    one(std::uint64_t{sizeof(T)});
    count(values.size());
    raw(values.data(), values.size() * sizeof(T));
  }
  void text(const std::string& value) {
    count(value.size());
    raw(value.data(), value.size());
  }
};

// Takes values from bytes in the same order; ValueError if they end early.
struct Reader {
  std::string_view bytes;

  void raw(void* to, std::size_t size) {
    if (size > bytes.size()) refuse();
    if (size > 0) std::memcpy(to, bytes.data(), size);
    bytes.remove_prefix(size);
  }
  template <Plain T>
  void one(T& value) {
    std::uint64_t size = 0;
    raw(&size, sizeof size);
    if (size != sizeof value) refuse();
    raw(&value, sizeof value);
  }
  std::size_t count(std::size_t) {
    std::uint64_t n = 0;
    one(n);
    if (n > bytes.size()) refuse();
    return std::size_t(n);
  }
  template <Plain T>
  void array(std::vector<T>& values) {
    std::uint64_t size = 0;
    one(size);
    const std::size_t n = count(0);
    if (size != sizeof(T) || n > bytes.size() / sizeof(T)) refuse();
    values.resize(n);
    raw(values.data(), n * sizeof(T));
  }
  void text(std::string& value) {
    value.resize(count(0));
    raw(value.data(), value.size());
  }
};

// Writes or reads the members of a value. Structured bindings do not compile if a member is added.
template <class Archive>
struct Members {
  Archive& archive;

  template <class... T>
  void operator()(T&... values) {
    (member(values), ...);
  }

  template <class T>
  void member(T& value) {
    using Value = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Value, std::string>) {
      archive.text(value);
    } else if constexpr (Plain<Value>) {
      archive.one(value);
    } else {
      members(value);
    }
  }

  template <class T>
  void sequence(T& values) {
    const std::size_t n = archive.count(values.size());
    if constexpr (!std::is_const_v<T>) values.resize(n);
    for (std::size_t i = 0; i < n; ++i) member(values[i]);
  }
  template <class T>
  void members(std::vector<T>& values) {
    if constexpr (Plain<T>)
      archive.array(values);
    else
      sequence(values);
  }
  template <class T>
  void members(const std::vector<T>& values) {
    if constexpr (Plain<T>)
      archive.array(values);
    else
      sequence(values);
  }
  template <class T>
  void members(std::optional<T>& value) {
    bool is_there = false;
    archive.one(is_there);
    if (is_there) member(value.emplace());
  }
  template <class T>
  void members(const std::optional<T>& value) {
    archive.one(value.has_value());
    if (value) member(*value);
  }
  template <class T>
  void image(T& i) {
    auto& [width, height, channels, pixels] = i;
    (*this)(width, height, channels, pixels);
    const bool is_whole =
        width >= 0 && height >= 0 && channels >= 0 &&
        pixels.size() == std::size_t(width) * std::size_t(height) * std::size_t(channels);
    if (!is_whole && !pixels.empty()) refuse();
  }
  template <class T>
  void members(Image<T>& i) {
    image(i);
  }
  template <class T>
  void members(const Image<T>& i) {
    image(i);
  }

  template <MaybeConst<Repetition> T>
  void members(T& r) {
    auto& [is_doubted, reason, rival_inliers, rival_ratio, twin_distance, unique_ratio, evidence] =
        r;
    (*this)(is_doubted, reason, rival_inliers, rival_ratio, twin_distance, unique_ratio, evidence);
  }
  template <MaybeConst<EstimateResult> T>
  void members(T& e) {
    using Numbers = std::conditional_t<std::is_const_v<T>, const Estimate, Estimate>;
    (*this)(static_cast<Numbers&>(e), e.inliers, e.not_finite);
  }
  template <MaybeConst<UndistortedPair> T>
  void members(T& u) {
    auto& [image1, image2, inside, points, F, scale] = u;
    (*this)(image1, image2, inside, points, F, scale);
  }
  template <MaybeConst<PoseDeviation> T>
  void members(T& d) {
    auto& [is_known, rotation_deg, direction_deg, covariance, geometries] = d;
    (*this)(is_known, rotation_deg, direction_deg, covariance, geometries);
  }
  template <MaybeConst<StageTime> T>
  void members(T& s) {
    auto& [stage, ms] = s;
    (*this)(stage, ms);
  }
  template <MaybeConst<PairTry> T>
  void members(T& t) {
    auto& [name, outcome, is_doubted, inliers, ms, is_taken] = t;
    (*this)(name, outcome, is_doubted, inliers, ms, is_taken);
  }
  template <MaybeConst<RectificationChoice> T>
  void members(T& c) {
    auto& [is_polar, planar_stretch, polar_stretch, reason] = c;
    (*this)(is_polar, planar_stretch, polar_stretch, reason);
  }
  template <MaybeConst<DisparityMap> T>
  void members(T& d) {
    auto& [raw, filled, confidence, density] = d;
    (*this)(raw, filled, confidence, density);
  }
  template <MaybeConst<DepthMap> T>
  void members(T& d) {
    auto& [depth, deviation] = d;
    (*this)(depth, deviation);
  }
  // Its rectification is a state of its own.
  template <MaybeConst<DensePair> T>
  void members(T& d) {
    auto& [rectification, choice, left, right, disparity, min_disparity, disparities, camera1,
           camera2, cameras, focal_deviation, cam2_from_cam1, depth, has_deviation, cloud] = d;
    (*this)(choice, left, right, disparity, min_disparity, disparities, camera1, camera2, cameras,
            focal_deviation, cam2_from_cam1, depth, has_deviation, cloud);
  }
  template <MaybeConst<PairResult> T>
  void members(T& r) {
    auto& [outcome, kind, reason, doubt, repetition, keypoints1, keypoints2, matches, points,
           estimate, estimated_camera, undistorted, cam2_from_cam1, pose_deviation, in_front,
           median_parallax_deg, triangulated, dense, dense_reason, tries, timings] = r;
    (*this)(outcome, kind, reason, doubt, repetition, keypoints1, keypoints2, matches, points,
            estimate, estimated_camera, undistorted, cam2_from_cam1, pose_deviation, in_front,
            median_parallax_deg, triangulated, dense, dense_reason, tries, timings);
  }
  template <MaybeConst<PhotographArgument> T>
  void members(T& p) {
    auto& [photograph, code, is_file] = p;
    auto& [file, image, deep, exif, exif_doubt] = photograph;
    (*this)(file, image, deep, exif, exif_doubt, code, is_file);
  }
  template <MaybeConst<jobs::Cameras> T>
  void members(T& c) {
    auto& [camera1, camera2, source, sizes, is_exif, lens_doubt] = c;
    (*this)(camera1, camera2, source, sizes, is_exif, lens_doubt);
  }
  template <MaybeConst<Pair> T>
  void members(T& p) {
    auto& [left, right, cameras, result, device, seed] = p;
    (*this)(left, right, cameras, result, device, seed);
  }
};

}  // namespace

nb::tuple state_of(const Pair& pair) {
  Writer writer;
  writer.text(std::string(kFormat));
  Members<Writer>{writer}(pair);
  writer.one(checksum(writer.bytes));
  nb::object rectification = nb::none();
  if (pair.result.dense) rectification = state_of(pair.result.dense->rectification);
  return nb::make_tuple(nb::bytes(writer.bytes.data(), writer.bytes.size()), rectification);
}

void restore(Pair& pair, const nb::tuple& state) {
  if (nb::len(state) != 2) refuse();
  const auto bytes = nb::cast<nb::bytes>(nb::object(state[0]));
  Reader reader{{static_cast<const char*>(bytes.data()), bytes.size()}};
  constexpr std::size_t kSum = 2 * sizeof(std::uint64_t);  // with its size
  if (reader.bytes.size() < kSum) refuse();
  const std::string_view summed = reader.bytes.substr(0, reader.bytes.size() - kSum);
  std::uint64_t sum = 0;
  Reader{reader.bytes.substr(summed.size())}.one(sum);
  if (sum != checksum(summed)) refuse();
  reader.bytes = summed;
  std::string format;
  reader.text(format);
  if (format != kFormat) refuse();
  Pair made;
  Members<Reader>{reader}(made);
  const nb::object rectification = state[1];
  if (!reader.bytes.empty() || made.result.dense.has_value() == rectification.is_none()) refuse();
  if (made.result.dense)
    restore(made.result.dense->rectification, nb::cast<nb::tuple>(rectification));
  new (&pair) Pair(std::move(made));
}

}  // namespace bifocal::python
