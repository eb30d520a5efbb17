// SPDX-License-Identifier: BSD-3-Clause
#include "adjustment/bal.hpp"

#include <bifocal/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>

#include "runtime/integers.hpp"
#include "synthetic/random.hpp"

namespace bifocal::bench {
namespace {

// Reads a file of numbers separated by white space.
class Numbers {
 public:
  explicit Numbers(const std::filesystem::path& file) : name_(file.string()) {
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    if (!stream) throw Error(ErrorCode::input, name_ + ": cannot be opened");
    bytes_.resize(static_cast<std::size_t>(stream.tellg()));
    stream.seekg(0);
    if (!stream.read(bytes_.data(), static_cast<std::streamsize>(bytes_.size())))
      throw Error(ErrorCode::input, name_ + ": cannot be read");
    place_ = bytes_.data();
  }

  template <class T>
  T next(const char* what) {
    const char* const end = bytes_.data() + bytes_.size();
    while (place_ < end && (*place_ == ' ' || (*place_ >= '\t' && *place_ <= '\r'))) ++place_;
    if (place_ < end && *place_ == '+') ++place_;
    T value{};
    const auto [stop, error] = std::from_chars(place_, end, value);
    if (error != std::errc()) fail(fmt::format("{} expected", what));
    place_ = stop;
    return value;
  }
  int index(const char* what, int count) {
    const int value = next<int>(what);
    if (value < 0 || value >= count) fail(fmt::format("{} {}, there are {}", what, value, count));
    return value;
  }
  int count(const char* what) {
    const int value = next<int>(what);
    // A number and a space take at least 2 bytes.
    if (value < 0 || static_cast<std::size_t>(value) > bytes_.size() / 2)
      fail(fmt::format("{} {} in a file of {} bytes", what, value, bytes_.size()));
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    const auto line = 1 + std::count(bytes_.data(), place_, '\n');
    throw Error(ErrorCode::input, fmt::format("{}: line {}: {}", name_, line, reason));
  }

  std::string name_, bytes_;
  const char* place_;
};

// Multiplies a matrix or a vector by diag(1, -1, -1) from the left.
template <class Array>
void flip_axes(Array& values) {
  for (std::size_t i = values.size() / 3; i < values.size(); ++i) values[i] = -values[i];
}

// Logarithm of a rotation, by way of the unit quaternion (w, v): its largest entry is found first.
Vec3 rotation_vector(const Mat3& R) {
  const double squares[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                             1 - R[0] - R[4] + R[8]};
  const auto largest = std::max_element(squares, squares + 4) - squares;
  const double twice = std::sqrt(squares[largest]), scale = 0.5 / twice;
  const Vec3 odd = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};
  double w = twice / 2;
  Vec3 v = {odd[0] * scale, odd[1] * scale, odd[2] * scale};
  if (largest > 0) {
    const auto k = static_cast<std::size_t>(largest - 1);
    w = odd[k] * scale;
    for (std::size_t i = 0; i < 3; ++i)
      v[i] = i == k ? twice / 2 : (R[3 * i + k] + R[3 * k + i]) * scale;
  }
  const double length = norm(v);
  if (length < 1e-300) return {0, 0, 0};
  double angle = 2 * std::atan2(length, w);
  if (angle > std::numbers::pi) angle -= 2 * std::numbers::pi;
  return {v[0] / length * angle, v[1] / length * angle, v[2] / length * angle};
}

class Writer {
 public:
  explicit Writer(const std::filesystem::path& file)
      : name_(file.string()), stream_(file, std::ios::binary) {}

  template <class T>
  void add(T number, char end) {
    char text[32];
    const auto [stop, error] = std::to_chars(text, text + sizeof text, number);
    buffer_.append(text, stop);
    buffer_ += end;
    if (buffer_.size() > kBuffer) flush();
  }
  void finish() {
    flush();
    stream_.close();
    if (!stream_) throw Error(ErrorCode::input, name_ + ": cannot be written");
  }

 private:
  static constexpr std::size_t kBuffer = 1 << 20;

  void flush() {
    stream_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }

  std::string name_, buffer_;
  std::ofstream stream_;
};

void check(const std::filesystem::path& file, const AdjustProblem& problem) {
  std::vector<bool> taken(problem.cameras.size(), false);
  for (std::size_t i = 0; i < problem.images.size(); ++i) {
    const std::size_t c = at(problem.images[i].camera);
    const AdjustCamera& camera = problem.cameras.at(c);
    if (taken[c] || camera.model != "RADIAL" || camera.params[1] != 0 || camera.params[2] != 0)
      throw Error(ErrorCode::usage,
                  fmt::format("{}: image {} has no RADIAL camera of its own with the principal "
                              "point (0, 0), which BAL files need",
                              file.string(), i));
    taken[c] = true;
  }
}

}  // namespace

AdjustProblem read_bal(const std::filesystem::path& file) {
  Numbers numbers(file);
  AdjustProblem problem;
  const int cameras = numbers.count("number of cameras"),
            points = numbers.count("number of points");
  const int observations = numbers.count("number of observations");
  problem.observations.reserve(at(observations));
  for (int i = 0; i < observations; ++i) {
    const int camera = numbers.index("camera", cameras), point = numbers.index("point", points);
    const double x = numbers.next<double>("x"), y = numbers.next<double>("y");
    problem.observations.push_back({camera, point, x, -y});
  }
  for (int i = 0; i < cameras; ++i) {
    double v[9];
    for (double& value : v) value = numbers.next<double>("camera parameter");
    const Vec3 w = {v[0], v[1], v[2]};
    Pose pose{.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .t = {v[3], v[4], v[5]}};
    if (norm(w) > 0) pose.R = synthetic::rotation_about(unit(w), norm(w));
    flip_axes(pose.R), flip_axes(pose.t);
    problem.images.push_back({.cam_from_world = pose, .camera = i});
    problem.cameras.push_back({.model = "RADIAL", .params = {v[6], 0, 0, v[7], v[8]}});
  }
  problem.points.resize(at(points));
  for (Vec3& point : problem.points)
    for (double& value : point) value = numbers.next<double>("coordinate");
  return problem;
}

void write_bal(const std::filesystem::path& file, const AdjustProblem& problem) {
  check(file, problem);
  Writer writer(file);
  writer.add(problem.images.size(), ' ');
  writer.add(problem.points.size(), ' ');
  writer.add(problem.observations.size(), '\n');
  for (const AdjustObservation& o : problem.observations) {
    writer.add(o.image, ' '), writer.add(o.point, ' ');
    writer.add(o.x, ' '), writer.add(-o.y, '\n');
  }
  for (const AdjustImage& image : problem.images) {
    Pose pose = image.cam_from_world;
    flip_axes(pose.R), flip_axes(pose.t);
    const std::vector<double>& params = problem.cameras[at(image.camera)].params;
    for (const double value : rotation_vector(pose.R)) writer.add(value, '\n');
    for (const double value : pose.t) writer.add(value, '\n');
    for (const std::size_t k : {0, 3, 4}) writer.add(params[k], '\n');
  }
  for (const Vec3& point : problem.points)
    for (const double value : point) writer.add(value, '\n');
  writer.finish();
}

}  // namespace bifocal::bench
