// SPDX-License-Identifier: BSD-3-Clause
// Binds matches of features.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <bifocal/matching.hpp>
#include <cmath>
#include <tuple>

#include "../devices.hpp"
#include "../points.hpp"
#include "feature_arrays.hpp"
#include "features_device.hpp"

namespace bifocal::python {
namespace {

const Features& features(nb::handle self) { return nb::cast<const Features&>(self); }
const Matches& matches(nb::handle self) { return nb::cast<const Matches&>(self); }
const FloatMatches& float_matches(nb::handle self) { return nb::cast<const FloatMatches&>(self); }

// Makes matches from indices [M, 2] and, unless None, one distance and one ratio for each match.
template <class Row, class Distance>
std::vector<Row> match_rows(nb::handle indices, nb::handle distance, nb::handle ratio) {
  const WholeNumbers which = whole_numbers_of(indices, "indices", {-1, 2});
  const std::size_t n = which.rows();
  const std::vector<float> d = numbers_of_each(distance, "distance", n, 0),
                           r = numbers_of_each(ratio, "ratio", n, 0);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t side : {0, 1})
      need_index(which.at(i, side), std::int64_t{1} << 31, "indices", i, std::ptrdiff_t(side));
    if (std::is_integral_v<Distance> && d[i] != std::floor(d[i]))
      value_error(fmt::format("distance: [{}] = {}, must be a whole number", i, d[i]));
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
                       const std::string& kind, double threshold, nb::handle options,
                       const std::optional<std::string>& device) {
  const MatchOptions o = options_of<MatchOptions>(options);
  if (kind != "fundamental" && kind != "homography")
    value_error(fmt::format("kind: '{}', must be 'fundamental' or 'homography'", kind));
  const MatchGuide guide{kind == "fundamental" ? GuideKind::epipolar : GuideKind::homography,
                         mat3_of(model, "model"), threshold};
  const Features& first = with_positions(features1, "features1");
  const Features& second = with_positions(features2, "features2");
  const Unlocked unlocked;
  QueueLease lease(device.value_or("cpu"));
  return {match_guided(lease.queue(), first, second, guide, o)};
}

// Raises ValueError if both arrays seem to have a descriptor in each column, as hloc's files: their
// rows have a usual length of descriptors, and their columns have not.
void refuse_columns(const AnyArray& first, const AnyArray& second) {
  const auto is_usual = [](std::size_t size) {
    constexpr std::size_t kUsual[] = {32, 48, 64, 80, 96, 128, 256, 384, 512};
    return std::ranges::find(kUsual, size) != std::end(kUsual);
  };
  if (first.ndim() != 2 || second.ndim() != 2 || first.shape(0) != second.shape(0)) return;
  if (!is_usual(first.shape(0)) || is_usual(first.shape(1)) || is_usual(second.shape(1))) return;
  value_error(
      fmt::format("descriptors1, descriptors2: shapes {} and {}, must be (N1, D) and (N2, D); give "
                  "descriptors1.T and descriptors2.T if a column is a descriptor",
                  shape_text(first), shape_text(second)));
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
  const AnyArray given1 = array_of(descriptors1, "descriptors1"),
                 given2 = array_of(descriptors2, "descriptors2");
  refuse_columns(given1, given2);
  if (!frame.is_none() && on_cuda(given1))
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

// Replaces distances by their ranks: equal distances have equal ranks.
std::vector<std::int32_t> ranks_of(nb::handle distance, std::size_t count) {
  std::vector<std::int32_t> ranks(count, 0);
  if (distance.is_none()) return ranks;
  const Numbers given = numbers_of(distance, "distance", {int(count)});
  need_finite(given, "distance");
  std::vector<double> sorted(count);
  for (std::size_t i = 0; i < count; ++i) sorted[i] = given.at(i);
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < count; ++i)
    ranks[i] = std::int32_t(std::ranges::lower_bound(sorted, given.at(i)) - sorted.begin());
  return ranks;
}

// Returns a flag for each match, False if another match between its two positions is kept.
nb::object distinct_places(nb::handle x1, nb::handle x2, nb::handle distance) {
  Points<PointPair> points = points_of<PointPair>(x1, x2);
  gather(points);
  const std::size_t n = points.span.size();
  for (std::size_t i = 0; i < n; ++i) {
    const PointPair& p = points.span[i];
    if (!std::isfinite(p.x1 + p.y1 + p.x2 + p.y2))
      value_error(fmt::format("x1, x2: row {} is not finite", i));
  }
  const std::vector<std::int32_t> ranks = ranks_of(distance, n);
  std::vector<Match> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = {int(i), int(i), ranks[i], 0};
  QueueLease lease("cpu");
  Queue& queue = lease.queue();
  DeviceMatches found{{0, std::int64_t(n)}, {queue.device(), n}, {queue.device(), n}};
  found.matches.upload(queue, rows);
  found.points.upload(queue, points.span);
  queue.wait();
  keep_distinct_places(queue, found);
  rows.resize(std::size_t(found.offsets.back()));
  found.matches.download(queue, rows);
  queue.wait();
  std::vector<std::uint8_t> flags(n, 0);
  for (const Match& m : rows) flags[std::size_t(m.index1)] = 1;
  return flags_array(flags);
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

void bind_byte_matches(nb::module_& m) {
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

void bind_matches(nb::module_& m) {
  bind_byte_matches(m);
  m.def("match", &match_any, nb::arg("features1").none(), nb::arg("features2").none(),
        nb::arg("options").none(), nb::arg("device").none(), nb::arg("frame").none() = nb::none(),
        nb::arg("distinct_places") = false, "Matches 8-bit descriptors (bifocal.match).");
  m.def("match_guided", &match_by_model, nb::arg("features1").none(), nb::arg("features2").none(),
        nb::arg("model").none(), nb::arg("kind"), nb::arg("threshold"), nb::arg("options").none(),
        nb::arg("device").none(), "Matches along a model (bifocal.match_guided).");
  bind_float_matches(m);
  m.def("keep_distinct_places", &distinct_places, nb::arg("x1").none(), nb::arg("x2").none(),
        nb::arg("distance").none(),
        nb::sig("def keep_distinct_places(x1: object, x2: object, distance: object) -> "
                "numpy.typing.NDArray[numpy.bool_]"));
}

}  // namespace bifocal::python
