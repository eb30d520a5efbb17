// SPDX-License-Identifier: BSD-3-Clause
// Binds the selection of image pairs.
#include "pair_selection.hpp"

#include <nanobind/stl/vector.h>

#include <bifocal/pair_selection.hpp>
#include <climits>
#include <cmath>

#include "files.hpp"
#include "options.hpp"

namespace bifocal::python {

std::vector<ImagePair> pairs_of(nb::handle object, const char* name, int images) {
  const WholeNumbers n = whole_numbers_of(object, name, {-1, 2});
  std::vector<ImagePair> pairs(n.rows());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    for (const std::size_t side : {0, 1})
      need_index(n.at(k, side), images, name, k, std::ptrdiff_t(side));
    pairs[k] = {static_cast<int>(n.at(k, 0)), static_cast<int>(n.at(k, 1))};
  }
  return pairs;
}

nb::object array_of_pairs(const std::vector<ImagePair>& pairs) {
  std::vector<int> numbers;
  numbers.reserve(2 * pairs.size());
  for (const ImagePair& p : pairs) numbers.insert(numbers.end(), {p.image1, p.image2});
  return array_from(std::move(numbers), {pairs.size(), 2});
}

namespace {

void need_images(int images) {
  if (images < 0) value_error(fmt::format("images = {}, must be at least 0", images));
}

// Reads one whole number from 0 to INT_MAX for each pair.
std::vector<int> counts_of(nb::handle object, const char* name, std::size_t pairs) {
  const WholeNumbers given = whole_numbers_of(object, name, {int(pairs)});
  if (given.rows() != pairs)
    value_error(fmt::format("{}: {} numbers for {} pairs", name, given.rows(), pairs));
  std::vector<int> counts(pairs);
  for (std::size_t k = 0; k < pairs; ++k) {
    need_index(given.at(k), INT_MAX, name, k);
    counts[k] = int(given.at(k));
  }
  return counts;
}

nb::object tidied(nb::handle pairs) {
  std::vector<ImagePair> all = pairs_of(pairs, "pairs", INT_MAX);
  tidy_pairs(all);
  return array_of_pairs(all);
}

nb::object sequential(int images, int overlap, bool quadratic) {
  need_images(images);
  return array_of_pairs(sequential_pairs(images, {overlap, quadratic}));
}

nb::object near(nb::handle positions, double max_distance_m, int most) {
  const Numbers given = numbers_of(positions, "positions", {-1, 2});
  std::vector<std::optional<GeoPosition>> all(given.rows());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!std::isnan(given.at(i, 0)) && !std::isnan(given.at(i, 1)))
      all[i] = GeoPosition{given.at(i, 0), given.at(i, 1)};
  std::vector<ImagePair> pairs;
  {
    const Unlocked unlocked;
    pairs = near_pairs(all, {max_distance_m, most});
  }
  return array_of_pairs(pairs);
}

nb::object suggested(int images, nb::handle pairs, nb::handle inliers, int most) {
  need_images(images);
  const std::vector<ImagePair> tried = pairs_of(pairs, "pairs", images);
  const std::vector<int> counts = counts_of(inliers, "inliers", tried.size());
  std::vector<PairInliers> all;
  for (std::size_t k = 0; k < tried.size(); ++k) all.push_back({tried[k], counts[k]});
  std::vector<ImagePair> proposed;
  {
    const Unlocked unlocked;
    const auto partners = suggested_partners(images, all, most);
    for (std::size_t i = 0; i < partners.size(); ++i)
      for (const int other : partners[i]) proposed.push_back({int(i), other});
  }
  return array_of_pairs(proposed);
}

nb::object linking(int images, nb::handle verified, nb::handle left_out, nb::handle matches,
                   int most) {
  need_images(images);
  const std::vector<ImagePair> joined = pairs_of(verified, "verified", images),
                               candidates = pairs_of(left_out, "left_out", images);
  const std::vector<int> counts = counts_of(matches, "matches", candidates.size());
  std::vector<ScreenedPair> all;
  for (std::size_t k = 0; k < candidates.size(); ++k) all.push_back({candidates[k], counts[k]});
  std::vector<ImagePair> pairs;
  {
    const Unlocked unlocked;
    pairs = linking_pairs(images, joined, all, most);
  }
  return array_of_pairs(pairs);
}

nb::object components(int images, nb::handle pairs) {
  need_images(images);
  ImageComponents joined(images);
  for (const ImagePair& pair : pairs_of(pairs, "pairs", images)) joined.join(pair);
  std::vector<int> lowest;
  for (int i = 0; i < images; ++i) lowest.push_back(joined.of(i));
  return array_from(std::move(lowest), {std::size_t(images)});
}

// names: encoded as the file system's.
nb::object listed(nb::handle given, const std::vector<nb::bytes>& encoded) {
  const FileName file = file_of(given, "file");
  std::vector<std::string> names;
  for (const nb::bytes& name : encoded) names.emplace_back(name.c_str(), name.size());
  try {
    return array_of_pairs(read_pairs(file.path, names));
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_reading({&file});
    throw;
  }
}

ImageIndex index_of(nb::handle features, nb::handle options) {
  const RetrievalOptions o = options_of<RetrievalOptions>(options);
  std::vector<nb::object> kept;
  std::vector<const Features*> all;
  for (const nb::handle one : features) {
    if (!nb::isinstance<Features>(one))
      type_error(fmt::format("features[{}]: must be Features", all.size()));
    kept.push_back(nb::borrow(one));
    all.push_back(&nb::cast<const Features&>(one));
  }
  const Unlocked unlocked;
  return ImageIndex(
      int(all.size()), [&](int i) { return *all[std::size_t(i)]; }, o);
}

#define PAIRS "numpy.typing.NDArray[numpy.int32]"

void bind_index(nb::module_& m) {
  nb::class_<ImageIndex>(m, "ImageIndex")
      .def(
          "__init__",
          [](ImageIndex* self, nb::handle features, nb::handle options) {
            new (self) ImageIndex(index_of(features, options));
          },
          nb::arg("features"), nb::arg("options").none())
      .def("__len__", &ImageIndex::size)
      .def("similarity", &ImageIndex::similarity, nb::arg("image1"), nb::arg("image2"))
      .def(
          "nearest",
          [](const ImageIndex& index, int image, int count) {
            std::vector<int> images = index.nearest(image, count);
            const std::size_t n = images.size();
            return array_from(std::move(images), {n});
          },
          nb::arg("image"), nb::arg("count"),
          nb::sig("def nearest(self, image: int, count: int) -> " PAIRS));
  m.def(
      "retrieval_pairs",
      [](const ImageIndex& index, int partners, int step) {
        std::vector<ImagePair> pairs;
        {
          const Unlocked unlocked;
          pairs = retrieval_pairs(index, partners, step);
        }
        return array_of_pairs(pairs);
      },
      nb::arg("index"), nb::arg("partners"), nb::arg("step"),
      nb::sig("def retrieval_pairs(index: ImageIndex, partners: int, step: int) -> " PAIRS));
}

}  // namespace

void bind_pair_selection(nb::module_& m) {
  m.def(
      "all_pairs",
      [](int images) {
        need_images(images);
        return array_of_pairs(all_pairs(images));
      },
      nb::arg("images"), nb::sig("def all_pairs(images: int) -> " PAIRS));
  m.def("tidy_pairs", &tidied, nb::arg("pairs").none(),
        nb::sig("def tidy_pairs(pairs: object) -> " PAIRS));
  m.def("sequential_pairs", &sequential, nb::arg("images"), nb::arg("overlap"),
        nb::arg("quadratic"),
        nb::sig("def sequential_pairs(images: int, overlap: int, quadratic: bool) -> " PAIRS));
  m.def("near_pairs", &near, nb::arg("positions").none(), nb::arg("max_distance_m"),
        nb::arg("most"),
        nb::sig("def near_pairs(positions: object, max_distance_m: float, most: int) -> " PAIRS));
  m.def("suggested_partners", &suggested, nb::arg("images"), nb::arg("pairs").none(),
        nb::arg("inliers").none(), nb::arg("most"),
        nb::sig("def suggested_partners(images: int, pairs: object, inliers: object, most: int) "
                "-> " PAIRS));
  m.def("linking_pairs", &linking, nb::arg("images"), nb::arg("verified").none(),
        nb::arg("left_out").none(), nb::arg("matches").none(), nb::arg("most"),
        nb::sig("def linking_pairs(images: int, verified: object, left_out: object, matches: "
                "object, most: int) -> " PAIRS));
  m.def("image_components", &components, nb::arg("images"), nb::arg("pairs").none(),
        nb::sig("def image_components(images: int, pairs: object) -> " PAIRS));
  m.def("read_pairs", &listed, nb::arg("file").none(), nb::arg("names"),
        nb::sig("def read_pairs(file: object, names: list[bytes]) -> " PAIRS));
  bind_index(m);
}

#undef PAIRS

}  // namespace bifocal::python
