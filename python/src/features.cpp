// SPDX-License-Identifier: BSD-3-Clause
// Binds features and their matches.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <bifocal/matching.hpp>
#include <cmath>
#include <tuple>

#include "devices.hpp"
#include "features_device.hpp"
#include "options.hpp"
#include "results.hpp"

namespace bifocal::python {
namespace {

const Features& features(nb::handle self) { return nb::cast<const Features&>(self); }
const Matches& matches(nb::handle self) { return nb::cast<const Matches&>(self); }
const FloatMatches& float_matches(nb::handle self) { return nb::cast<const FloatMatches&>(self); }

// Returns one member of each row as a strided array.
template <class T, class Row>
nb::object column(nb::handle self, const std::vector<Row>& rows, T Row::*member,
                  std::size_t width = 1) {
  static_assert(sizeof(Row) % sizeof(T) == 0);
  static const Row none{};
  const T* first = rows.empty() ? &(none.*member) : &(rows[0].*member);
  const std::int64_t step = std::int64_t(sizeof(Row) / sizeof(T));
  if (width == 1) return view(self, first, {rows.size()}, {step});
  return view(self, first, {rows.size(), width}, {step, 1});
}

// Expands three numbers to a symmetric matrix, whose off-diagonal elements are the second number.
nb::object shapes(nb::handle self) {
  static_assert(sizeof(KeypointShape) == 3 * sizeof(float));
  const Features& f = features(self);
  if (f.shapes.empty()) return nb::none();
  return view(self, &f.shapes[0].xx, {f.shapes.size(), 2, 2}, {3, 1, 1});
}

Features detect(nb::handle image, nb::handle options, nb::handle mask,
                const std::optional<std::string>& device, nb::handle frame) {
  if (!frame.is_none())
    if (const AnyArray there = array_of(image, "image"); on_cuda(there))
      return detect_there(there, options, mask, device, frame);
  const Picture picture = picture_of(image, "image");
  const DetectArguments o(options, mask);
  const Unlocked unlocked;
  QueueLease lease(device.value_or("cpu"));
  if (o.options.surf)
    return detect_surf(lease.queue(), picture.any(), *o.options.surf, o.allowed());
  return detect_sift(lease.queue(), picture.any(), o.options.sift, o.allowed());
}

// Reads descriptors from a result of detect() or from a uint8 array [N, 128].
Features descriptors_of(nb::handle object, const char* name) {
  const AnyArray a = array_of(object, name);
  need_shape(a, name, {-1, kDescriptorBytes});
  need_host(a, name);
  if (a.dtype() != nb::dtype<std::uint8_t>())
    type_error(fmt::format("{}: dtype {}, must be uint8", name, dtype_text(a)));
  Features f;
  f.keypoints.resize(a.shape(0));
  f.descriptors.resize(a.shape(0) * kDescriptorBytes);
  const auto* from = static_cast<const std::uint8_t*>(a.data());
  for (std::size_t i = 0; i < f.descriptors.size(); ++i)
    f.descriptors[i] = from[std::int64_t(i / kDescriptorBytes) * a.stride(0) +
                            std::int64_t(i % kDescriptorBytes) * a.stride(1)];
  return f;
}

// Returns one number for each keypoint, `usual` if the argument is None.
std::vector<float> numbers_of_each(nb::handle object, const char* name, std::size_t count,
                                   float usual) {
  std::vector<float> all(count, usual);
  if (object.is_none()) return all;
  const Numbers given = numbers_of(object, name, {int(count)});
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<float>(given.at(i));
  return all;
}

std::vector<KeypointShape> shapes_of(nb::handle object, std::size_t count) {
  std::vector<KeypointShape> all;
  if (object.is_none()) return all;
  AnyArray array = array_of(object, "shapes");
  need_shape(array, "shapes", {int(count), 2, 2});
  const nb::object rows = nb::borrow(object).attr("reshape")(count, 4);
  const Numbers given = numbers_of(rows, "shapes", {int(count), 4});
  for (std::size_t i = 0; i < count; ++i) {
    if (given.at(i, 1) != given.at(i, 2))
      value_error(fmt::format("shapes: [{}] is not symmetric", i));
    all.push_back({static_cast<float>(given.at(i, 0)), static_cast<float>(given.at(i, 1)),
                   static_cast<float>(given.at(i, 3))});
  }
  return all;
}

// Makes features from arrays, for example of another process or program.
void make_features(Features* self, nb::handle xy, nb::handle descriptors, nb::handle sigma,
                   nb::handle angle_deg, nb::handle response, nb::handle shapes) {
  const Numbers at = numbers_of(xy, "xy", {-1, 2});
  need_finite(at, "xy");
  const std::size_t n = at.rows();
  Features own = descriptors_of(descriptors, "descriptors");
  if (own.keypoints.size() != n)
    value_error(fmt::format("descriptors: {} rows, but xy has {}", own.keypoints.size(), n));
  const std::vector<float> s = numbers_of_each(sigma, "sigma", n, 1),
                           a = numbers_of_each(angle_deg, "angle_deg", n, 0),
                           r = numbers_of_each(response, "response", n, 0);
  for (std::size_t i = 0; i < n; ++i)
    own.keypoints[i] = {static_cast<float>(at.at(i, 0)), static_cast<float>(at.at(i, 1)), s[i],
                        a[i], r[i]};
  own.shapes = shapes_of(shapes, n);
  new (self) Features(std::move(own));
}

// Makes matches from indices [M, 2] and, unless None, one distance and one ratio for each match.
template <class Row, class Distance>
std::vector<Row> match_rows(nb::handle indices, nb::handle distance, nb::handle ratio) {
  const Numbers which = numbers_of(indices, "indices", {-1, 2});
  const std::size_t n = which.rows();
  const std::vector<float> d = numbers_of_each(distance, "distance", n, 0),
                           r = numbers_of_each(ratio, "ratio", n, 0);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t side : {0, 1})
      if (const double k = which.at(i, side); !(k >= 0 && k < 2147483648.0) || k != std::floor(k))
        value_error(
            fmt::format("indices: [{}, {}] = {}, must be a whole number of 0 or more", i, side, k));
    rows.push_back({static_cast<int>(which.at(i, 0)), static_cast<int>(which.at(i, 1)),
                    static_cast<Distance>(d[i]), r[i]});
  }
  return rows;
}

// Binds the constructor from arrays and the pickling of matches as the bytes of their rows.
template <class Set, class Row, class Distance>
void bind_made_matches(nb::class_<Set>& c) {
  c.def(
      "__init__",
      [](Set* self, nb::handle indices, nb::handle distance, nb::handle ratio) {
        new (self) Set{match_rows<Row, Distance>(indices, distance, ratio), {}};
      },
      nb::arg("indices").none(), nb::arg("distance").none() = nb::none(),
      nb::arg("ratio").none() = nb::none());
  c.def(
      "__getstate__", [](const Set& s) { return nb::make_tuple(bytes_of(s.rows)); },
      nb::sig("def __getstate__(self) -> tuple[bytes]"));
  c.def("__setstate__", [](Set& s, const std::tuple<nb::bytes>& state) {
    new (&s) Set{vector_of<Row>(std::get<0>(state)), {}};
  });
}

const Features& with_positions(nb::handle object, const char* name) {
  if (!nb::isinstance<Features>(object))
    type_error(fmt::format("{}: must be Features, which have positions", name));
  return features(object);
}

std::vector<Match> match_distinct(Queue& queue, const Features& first, const Features& second,
                                  const MatchOptions& options) {
  FeatureSet set(queue.device());
  const ImagePair pair{set.add(queue, first), set.add(queue, second)};
  DeviceMatches found;
  match(queue, set, {&pair, 1}, options, found);
  keep_distinct_places(queue, found);
  std::vector<Match> rows(static_cast<std::size_t>(found.offsets.back()));
  found.matches.download(queue, rows);
  queue.wait();
  return rows;
}

Matches match_any(nb::handle features1, nb::handle features2, nb::handle options,
                  const std::optional<std::string>& device, nb::handle frame,
                  bool distinct_places) {
  const MatchOptions o = options_of<MatchOptions>(options);
  if (distinct_places) {
    const Features& first = with_positions(features1, "features1");
    const Features& second = with_positions(features2, "features2");
    const Unlocked unlocked;
    QueueLease lease(device.value_or("cpu"));
    return {match_distinct(lease.queue(), first, second, o)};
  }
  const bool arrays = !nb::isinstance<Features>(features1) && !nb::isinstance<Features>(features2);
  if (!frame.is_none() && arrays) {
    const AnyArray first = array_of(features1, "features1");
    if (on_cuda(first))
      return {match_there(first, array_of(features2, "features2"), o, device, frame),
              nb::borrow(frame)};
  }
  Features own1, own2;
  const auto from = [](nb::handle object, const char* name, Features& own) -> const Features& {
    if (nb::isinstance<Features>(object)) return features(object);
    own = descriptors_of(object, name);
    return own;
  };
  const Features& first = from(features1, "features1", own1);
  const Features& second = from(features2, "features2", own2);
  Matches found{{}, nb::borrow(frame)};
  const Unlocked unlocked;
  QueueLease lease(device.value_or("cpu"));
  found.rows = match(lease.queue(), first, second, o);
  return found;
}

Matches match_by_model(nb::handle features1, nb::handle features2, nb::handle model,
                       const std::string& kind, double max_error, nb::handle options,
                       const std::optional<std::string>& device) {
  const MatchOptions o = options_of<MatchOptions>(options);
  if (kind != "fundamental" && kind != "homography")
    value_error(fmt::format("kind: '{}', must be 'fundamental' or 'homography'", kind));
  const MatchGuide guide{kind == "fundamental" ? GuideKind::epipolar : GuideKind::homography,
                         mat3_of(model, "model"), max_error};
  const Features& first = with_positions(features1, "features1");
  const Features& second = with_positions(features2, "features2");
  const Unlocked unlocked;
  QueueLease lease(device.value_or("cpu"));
  return {match_guided(lease.queue(), first, second, guide, o)};
}

// Returns floats in C order; `own` holds a copy if the argument has another order or type.
FloatDescriptors floats_of(nb::handle object, const char* name, Numbers& given,
                           std::vector<float>& own) {
  given = numbers_of(object, name, {-1, -1});
  const std::size_t size = given.array.shape(1);
  const FloatDescriptors d{static_cast<const float*>(given.array.data()),
                           static_cast<int>(given.rows()), static_cast<int>(size)};
  if (!given.is_double && given.is_dense()) return d;
  own.resize(given.rows() * size);
  for (std::size_t i = 0; i < own.size(); ++i)
    own[i] = static_cast<float>(given.at(i / size, i % size));
  return {own.data(), d.count, d.size};
}

FloatMatches match_floats(nb::handle descriptors1, nb::handle descriptors2, nb::handle options,
                          const std::optional<std::string>& device, nb::handle frame) {
  const FloatMatchOptions o = options_of<FloatMatchOptions>(options);
  if (!frame.is_none() && on_cuda(array_of(descriptors1, "descriptors1")))
    return {match_floats_there(descriptors1, descriptors2, o, device, frame), nb::borrow(frame)};
  Numbers given[2];
  std::vector<float> own[2];
  const FloatDescriptors first = floats_of(descriptors1, "descriptors1", given[0], own[0]);
  const FloatDescriptors second = floats_of(descriptors2, "descriptors2", given[1], own[1]);
  FloatMatches found{{}, nb::borrow(frame)};
  const Unlocked unlocked;
  QueueLease lease(device.value_or("cpu"));
  found.rows = match(lease.queue(), first, second, o);
  return found;
}

nb::object indices(nb::handle self) {
  static_assert(offsetof(Match, index2) == sizeof(int));
  return framed(matches(self).frame, column(self, matches(self).rows, &Match::index1, 2));
}
nb::object float_indices(nb::handle self) {
  static_assert(offsetof(FloatMatch, index2) == sizeof(int));
  return framed(float_matches(self).frame,
                column(self, float_matches(self).rows, &FloatMatch::index1, 2));
}

constexpr const char* kFeaturesDoc = R"(Keypoints and descriptors of one image, the strongest first.

Args:
    xy: Positions in px, shape (N, 2).
    descriptors: uint8, shape (N, 128).
    sigma: Scales of the Gaussian in px, shape (N,); 1 by default.
    angle_deg: Orientations in degrees, shape (N,); 0 by default.
    response: Strengths, shape (N,); 0 by default.
    shapes: Symmetric matrices of affine shapes, shape (N, 2, 2); None by default.

Raises:
    ValueError: If shapes differ or a position is not finite.)";
constexpr const char* kMatchesDoc =
    R"(Matches of two images, in the order of the features of the first image.

Args:
    indices: Indices of features of image 1 and 2, shape (M, 2).
    distance: Squared distance of 8-bit descriptors for each match, shape (M,); 0 by default.
    ratio: Nearest over second nearest distance for each match, shape (M,); 0 by default.)";
constexpr const char* kFloatMatchesDoc =
    R"(Matches of float descriptors, in the order of the first descriptors.

Args:
    indices: Indices of descriptors of image 1 and 2, shape (M, 2).
    distance: Euclidean distance for each match, shape (M,); 0 by default.
    ratio: Nearest over second nearest distance for each match, shape (M,); 0 by default.)";

void bind_matches(nb::module_& m) {
  nb::class_<Matches> c(m, "Matches", kMatchesDoc);
  bind_made_matches<Matches, Match, std::int32_t>(c);
  c.def("__len__", [](const Matches& s) { return s.rows.size(); });
  c.def_prop_ro("indices", &indices,
                nb::sig("def indices(self) -> numpy.typing.NDArray[numpy.int32]"),
                "Indices of the features of image 1 and 2, shape (M, 2).");
  c.def_prop_ro(
      "distance",
      [](nb::handle s) {
        return framed(matches(s).frame, column(s, matches(s).rows, &Match::distance));
      },
      nb::sig("def distance(self) -> numpy.typing.NDArray[numpy.int32]"),
      "Squared distance of the 8-bit descriptors, shape (M,).");
  c.def_prop_ro(
      "ratio",
      [](nb::handle s) {
        return framed(matches(s).frame, column(s, matches(s).rows, &Match::ratio));
      },
      nb::sig("def ratio(self) -> numpy.typing.NDArray[numpy.float32]"),
      "Nearest over second nearest distance, shape (M,).");
}

void bind_float_matches(nb::module_& m) {
  nb::class_<FloatMatches> c(m, "FloatMatches", kFloatMatchesDoc);
  bind_made_matches<FloatMatches, FloatMatch, float>(c);
  c.def("__len__", [](const FloatMatches& s) { return s.rows.size(); });
  c.def_prop_ro("indices", &float_indices,
                nb::sig("def indices(self) -> numpy.typing.NDArray[numpy.int32]"),
                "Indices of the descriptors of image 1 and 2, shape (M, 2).");
  c.def_prop_ro(
      "distance",
      [](nb::handle s) {
        return framed(float_matches(s).frame,
                      column(s, float_matches(s).rows, &FloatMatch::distance));
      },
      nb::sig("def distance(self) -> numpy.typing.NDArray[numpy.float32]"),
      "Euclidean distance of the descriptors, shape (M,).");
  c.def_prop_ro(
      "ratio",
      [](nb::handle s) {
        return framed(float_matches(s).frame, column(s, float_matches(s).rows, &FloatMatch::ratio));
      },
      nb::sig("def ratio(self) -> numpy.typing.NDArray[numpy.float32]"),
      "Nearest over second nearest distance, shape (M,).");
  m.def("match_descriptors", &match_floats, nb::arg("descriptors1").none(),
        nb::arg("descriptors2").none(), nb::arg("options").none(), nb::arg("device").none(),
        nb::arg("frame").none() = nb::none(),
        "Matches float descriptors (bifocal.match_descriptors).");
}

}  // namespace

void bind_features(nb::module_& m) {
  nb::class_<Features> f(m, "Features", kFeaturesDoc);
  f.def("__init__", &make_features, nb::arg("xy").none(), nb::arg("descriptors").none(),
        nb::arg("sigma").none() = nb::none(), nb::arg("angle_deg").none() = nb::none(),
        nb::arg("response").none() = nb::none(), nb::arg("shapes").none() = nb::none());
  f.def(
      "__getstate__",
      [](const Features& s) {
        return nb::make_tuple(bytes_of(s.keypoints), bytes_of(s.descriptors), bytes_of(s.shapes));
      },
      nb::sig("def __getstate__(self) -> tuple[bytes, bytes, bytes]"));
  f.def("__setstate__", [](Features& s, const std::tuple<nb::bytes, nb::bytes, nb::bytes>& state) {
    const auto& [keypoints, descriptors, shapes] = state;
    new (&s) Features{vector_of<Keypoint>(keypoints), vector_of<std::uint8_t>(descriptors),
                      vector_of<KeypointShape>(shapes)};
  });
  f.def("__len__", &Features::size);
  const auto number = [&](const char* name, float Keypoint::*member, const char* sig,
                          const char* doc, std::size_t width = 1) {
    f.def_prop_ro(
        name,
        [member, width](nb::handle s) { return column(s, features(s).keypoints, member, width); },
        nb::sig(sig), doc);
  };
#define FLOATS(name) "def " name "(self) -> numpy.typing.NDArray[numpy.float32]"
  number("xy", &Keypoint::x, FLOATS("xy"), "Positions in px, shape (N, 2).", 2);
  number("sigma", &Keypoint::sigma, FLOATS("sigma"), "Scales of the Gaussian in px, shape (N,).");
  number("angle_deg", &Keypoint::angle_deg, FLOATS("angle_deg"),
         "Orientations in degrees, [0, 360) from x towards y, shape (N,).");
  number("response", &Keypoint::response, FLOATS("response"),
         "Strengths, shape (N,): |DoG| at the extremum; for SURF the root of the determinant.");
  f.def_prop_ro(
      "descriptors",
      [](nb::handle s) {
        return view(s, features(s).descriptors.data(), {features(s).keypoints.size(), 128});
      },
      nb::sig("def descriptors(self) -> numpy.typing.NDArray[numpy.uint8]"),
      "Descriptors, shape (N, 128).");
  f.def_prop_ro("shapes", &shapes,
                nb::sig("def shapes(self) -> numpy.typing.NDArray[numpy.float32] | None"),
                "Affine shapes, shape (N, 2, 2): symmetric matrices of determinant 1 from the "
                "frame of a circular feature to the image; None without affine_shape.");
#undef FLOATS
  bind_matches(m);
  m.def("detect", &detect, nb::arg("image").none(), nb::arg("options").none(),
        nb::arg("mask").none(), nb::arg("device").none(), nb::arg("frame").none() = nb::none(),
        "Detects features (bifocal.detect).");
  m.def("match", &match_any, nb::arg("features1").none(), nb::arg("features2").none(),
        nb::arg("options").none(), nb::arg("device").none(), nb::arg("frame").none() = nb::none(),
        nb::arg("distinct_places") = false, "Matches 8-bit descriptors (bifocal.match).");
  m.def("match_guided", &match_by_model, nb::arg("features1").none(), nb::arg("features2").none(),
        nb::arg("model").none(), nb::arg("kind"), nb::arg("max_error"), nb::arg("options").none(),
        nb::arg("device").none(), "Matches along a model (bifocal.match_guided).");
  bind_float_matches(m);
}

}  // namespace bifocal::python
