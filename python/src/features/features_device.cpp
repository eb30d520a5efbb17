// SPDX-License-Identifier: BSD-3-Clause
#include "features_device.hpp"

#include "../devices.hpp"

namespace bifocal::python {
namespace {

bool has_gaps(const AnyArray& array) { return !Numbers{array, true}.is_dense(); }

void need_descriptors(const AnyArray& a, const char* name) {
  need_shape(a, name, {-1, kDescriptorBytes});
  if (a.dtype() != nb::dtype<std::uint8_t>() || has_gaps(a))
    type_error(fmt::format("{}: {}{}, must be contiguous uint8 on a CUDA device", name,
                           dtype_text(a), has_gaps(a) ? " with gaps" : ""));
  if (a.shape(0) >= (1u << 24))
    value_error(fmt::format("{}: {} descriptors are too many", name, a.shape(0)));
}

// Copies descriptors into a new slot of the set, without positions.
void add_descriptors(Queue& queue, FeatureSet& set, const AnyArray& a) {
  const auto n = a.shape(0);
  const int count = int(n), image = set.reserve(queue, count);
  if (count == 0) return;
  runtime::upload(queue, *set.descriptors().memory(),
                  std::size_t(set.begin(image)) * kDescriptorBytes, a.data(), n * kDescriptorBytes);
  runtime::upload(queue, *set.counts().memory(), std::size_t(image) * sizeof(int), &count,
                  sizeof count);
  queue.wait();
}

// Float descriptors on the device as the array library converted them.
struct FloatRowsThere {
  nb::object values_object, squares_object;
  AnyArray values, squares;
  [[nodiscard]] FloatsOnDevice view() const {
    return {memory_of<float>(values), memory_of<float>(squares), int(values.shape(0)),
            int(values.shape(1))};
  }
};

FloatRowsThere rows_there(nb::handle descriptors, const char* name, bool normalise,
                          nb::handle frame) {
  const AnyArray given = array_of(descriptors, name);
  need_shape(given, name, {-1, -1});
  const auto d = given.dtype();
  if (d.code != std::uint8_t(nb::dlpack::dtype_code::Float))
    type_error(
        fmt::format("{}: dtype {}, must be floats on a CUDA device", name, dtype_text(given)));
  if (given.shape(0) >= (1u << 24))
    value_error(fmt::format("{}: {} descriptors are too many", name, given.shape(0)));
  FloatRowsThere rows;
  const nb::object made = frame.attr("float_rows")(descriptors, normalise);
  if (made.is_none()) value_error(fmt::format("{}: holds a NaN or an infinity", name));
  rows.values_object = made[0], rows.squares_object = made[1];
  rows.values = array_of(rows.values_object, name);
  rows.squares = array_of(rows.squares_object, name);
  return rows;
}

}  // namespace

DetectArguments::DetectArguments(nb::handle given, nb::handle mask, const char* name)
    : options(detector_options(given)) {
  if (mask.is_none()) return;
  const AnyArray array = array_of(mask, name);
  const auto d = array.dtype();
  if (d == nb::dtype<std::uint8_t>()) {
    mask_ = picture_of(mask, name);
    return;
  }
  // Features are allowed where a mask of bool or of any integers is not 0.
  if (d.code != std::uint8_t(nb::dlpack::dtype_code::Bool) &&
      d.code != std::uint8_t(nb::dlpack::dtype_code::UInt) &&
      d.code != std::uint8_t(nb::dlpack::dtype_code::Int))
    type_error(fmt::format("{}: dtype {}, must be bool or whole numbers", name, dtype_text(array)));
  need_host(array, name);
  const nb::object values = nb::module_::import_("numpy").attr("asarray")(mask);
  mask_ = picture_of(values.attr("__ne__")(0).attr("astype")("uint8"), name);
}

void need_picture_there(const AnyArray& image, const char* name, int bits) {
  if (image.ndim() != 2 || image.shape(0) >= (1u << 30) || image.shape(1) >= (1u << 30))
    value_error(fmt::format("{}: shape {}, must be (height, width), grey, on a CUDA device", name,
                            shape_text(image)));
  const auto d = image.dtype();
  if (d.code != std::uint8_t(nb::dlpack::dtype_code::UInt) || d.bits != bits || has_gaps(image))
    type_error(fmt::format("{}: {}{}, must be contiguous uint{} on a CUDA device", name,
                           dtype_text(image), has_gaps(image) ? " with gaps" : "", bits));
}

void need_any_picture_there(const AnyArray& image, const char* name) {
  const bool shaped =
      image.ndim() == 2 || (image.ndim() == 3 && image.shape(2) >= 1 && image.shape(2) <= 4);
  if (!shaped || image.shape(0) >= (1u << 30) || image.shape(1) >= (1u << 30))
    value_error(fmt::format("{}: shape {}, must be (height, width) or (height, width, 1 to 4)",
                            name, shape_text(image)));
  const auto d = image.dtype();
  const bool is_picture =
      d.code == std::uint8_t(nb::dlpack::dtype_code::UInt) && (d.bits == 8 || d.bits == 16);
  if (!is_picture || has_gaps(image))
    type_error(fmt::format("{}: {}{}, must be contiguous uint8 or uint16 on a CUDA device", name,
                           dtype_text(image), has_gaps(image) ? " with gaps" : ""));
}

Features detect_there(const AnyArray& image, nb::handle options, nb::handle mask,
                      const std::optional<std::string>& device, nb::handle frame) {
  need_any_picture_there(image, "image");
  const std::string where = device_for(device, &image, "image");
  const DetectArguments o(options, mask);
  await_frame(frame);
  const Unlocked unlocked;
  if (image.size() == 0) return {};
  QueueLease lease(where);
  FeatureSet set(lease.queue().device());
  const int width = int(image.shape(1)), height = int(image.shape(0));
  return with_detector(lease.queue(), width, height, o.options, 1, [&](auto& detector) {
    detector.set_mask(o.allowed());
    add_there(detector, image, 1, set);
    return set.get(lease.queue(), 0);
  });
}

std::vector<Match> match_there(const AnyArray& descriptors1, const AnyArray& descriptors2,
                               const MatchOptions& options,
                               const std::optional<std::string>& device, nb::handle frame) {
  need_descriptors(descriptors1, "features1");
  need_descriptors(descriptors2, "features2");
  need_same_memory(descriptors2, "features2", descriptors1, "features1");
  const std::string where = device_for(device, &descriptors1, "features1");
  await_frame(frame);
  const Unlocked unlocked;
  QueueLease lease(where);
  FeatureSet set(lease.queue().device(),
                 std::int64_t(descriptors1.shape(0) + descriptors2.shape(0)));
  add_descriptors(lease.queue(), set, descriptors1);
  add_descriptors(lease.queue(), set, descriptors2);
  const ImagePair pair{0, 1};
  return match(lease.queue(), set, {&pair, 1}, options).matches;
}

std::vector<FloatMatch> match_floats_there(nb::handle descriptors1, nb::handle descriptors2,
                                           const FloatMatchOptions& options,
                                           const std::optional<std::string>& device,
                                           nb::handle frame) {
  const FloatRowsThere first = rows_there(descriptors1, "descriptors1", options.normalise, frame),
                       second = rows_there(descriptors2, "descriptors2", options.normalise, frame);
  need_same_memory(second.values, "descriptors2", first.values, "descriptors1");
  const std::string where = device_for(device, &first.values, "descriptors1");
  await_frame(frame);
  const Unlocked unlocked;
  QueueLease lease(where);
  return match(lease.queue(), first.view(), second.view(), options);
}

}  // namespace bifocal::python
