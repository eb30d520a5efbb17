// SPDX-License-Identifier: BSD-3-Clause
// Binds features of many images on one device, their matches and verified geometry.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <bifocal/verify_pairs.hpp>
#include <mutex>
#include <tuple>

#include "devices.hpp"
#include "features/features_device.hpp"
#include "options.hpp"
#include "pair_selection.hpp"
#include "results.hpp"

namespace bifocal::python {
namespace {

std::vector<ImagePair> pairs_or_all(nb::handle object, int images) {
  return object.is_none() ? all_pairs(images) : pairs_of(object, "pairs", images);
}

LensCamera pinhole_camera(const Intrinsics& k) {
  if (!k.valid()) value_error(fmt::format("cameras: fx = {}, fy = {}, must be > 0", k.fx, k.fy));
  return LensCamera(k);
}

class Collection {
 public:
  explicit Collection(const std::string& device)
      : name_(resolved_device(device)), queue_(Device(name_)), set_(queue_.device()) {}

  int add(const Features& features) {
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    return set_.add(queue_, features);
  }
  int detect(nb::handle images, nb::handle options, int batch, nb::handle frame) {
    const DetectorOptions o = detector_options(options);
    if (!frame.is_none() && nb::len(images) > 0 && on_cuda(array_of(images[0], "images[0]")))
      return detect_there(images, o, batch, frame);
    std::vector<Picture> pictures;
    for (const nb::handle image : images) {
      const std::string name = fmt::format("images[{}]", pictures.size());
      pictures.push_back(picture_of(image, name.c_str()));
    }
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    const int first = set_.size();
    for (std::size_t k = 0; k < pictures.size();) k = add_run(pictures, k, o, batch);
    return first;
  }
  [[nodiscard]] Features get(int image) {
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    return set_.get(queue_, image);
  }
  [[nodiscard]] nb::object counts() {
    std::vector<int> counts;
    {
      const Unlocked unlocked;
      const std::lock_guard lock(mutex_);
      counts = set_.count_all(queue_);
    }
    const std::size_t n = counts.size();
    return array_from(std::move(counts), {n});
  }
  nb::object screen(nb::handle pairs, int features, int min_matches, double max_ratio) {
    const std::vector<ImagePair> wanted = pairs_or_all(pairs, set_.size());
    std::vector<ImagePair> passed;
    {
      const Unlocked unlocked;
      const std::lock_guard lock(mutex_);
      const ScreenOptions options{features, min_matches, max_ratio};
      const std::vector<int> matches = screen_pairs(queue_, set_, wanted, options);
      for (std::size_t k = 0; k < wanted.size(); ++k)
        if (matches[k] >= min_matches) passed.push_back(wanted[k]);
    }
    return array_of_pairs(passed);
  }
  Verified verify(nb::handle pairs, const std::string& kind, nb::handle cameras,
                  nb::handle matching, nb::handle robust, int min_matches, bool guided,
                  bool distinct_places) {
    VerifyOptions o{options_of<MatchOptions>(matching), min_matches, kind_of(kind),
                    options_of<RobustOptions>(robust)};
    o.guided = guided;
    o.distinct_places = distinct_places;
    const ProblemInfo problem = problem_info(o.kind);
    std::vector<LensCamera> known;
    if (problem.cameras == 0 && !cameras.is_none())
      type_error("cameras: given, but this kind of model takes none");
    if (problem.cameras > 0)
      for (const AnyCamera& c : any_cameras_of(cameras, "cameras"))
        known.push_back(c.lens ? *c.lens : pinhole_camera(c.pinhole));
    Verified all{pairs_or_all(pairs, set_.size()), {}, {0}, {o.kind, problem.has_pose, {}, {}}};
    if (queue_.device().info().kind == DeviceKind::cpu) o.pairs_at_once = 64;
    {
      const Unlocked unlocked;
      const std::lock_guard lock(mutex_);
      verify_pairs(queue_, set_, all.pairs, known, o,
                   [&](const VerifiedPairs& found) { take(found, all); });
    }
    all.estimates.offsets = all.offsets;
    return all;
  }
  [[nodiscard]] int size() const { return set_.size(); }
  [[nodiscard]] std::string text() const {
    return fmt::format("<Collection of {} images on {}>", set_.size(), name_);
  }

 private:
  // Detects features of images in the memory of the device. Images that are contiguous in memory
  // are processed together.
  int detect_there(nb::handle images, const DetectorOptions& o, int batch, nb::handle frame) {
    std::vector<nb::object> kept;
    std::vector<AnyArray> pictures;
    for (const nb::handle image : images) {
      const std::string name = fmt::format("images[{}]", pictures.size());
      kept.push_back(nb::borrow(image));
      pictures.push_back(array_of(image, name.c_str()));
      need_any_picture_there(pictures.back(), name.c_str());
      (void)device_for(name_, &pictures.back(), name.c_str());
      if (pictures.back().size() == 0)
        value_error(fmt::format("{}: shape {}", name, shape_text(pictures.back())));
    }
    await_frame(frame);
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    const int first = set_.size();
    for (std::size_t k = 0; k < pictures.size();) {
      const AnyArray& p = pictures[k];
      const auto* at = static_cast<const std::uint8_t*>(p.data());
      const std::size_t bytes = p.size() * p.dtype().bits / 8;
      std::size_t end = k + 1;
      while (end < pictures.size() && pictures[end].shape(0) == p.shape(0) &&
             pictures[end].shape(1) == p.shape(1) && pictures[end].dtype() == p.dtype() &&
             channels_of(pictures[end]) == channels_of(p) &&
             pictures[end].data() == at + (end - k) * bytes)
        ++end;
      const int count = int(end - k);
      with_detector(queue_, int(p.shape(1)), int(p.shape(0)), o, std::min(batch, count),
                    [&](auto& detector) { add_there(detector, p, count, set_); });
      queue_.wait();
      k = end;
    }
    return first;
  }
  // Detects features of the images from k on that have one size; returns the index of the first
  // image of another size.
  std::size_t add_run(const std::vector<Picture>& pictures, std::size_t k, const DetectorOptions& o,
                      int batch) {
    std::vector<AnyImageView> views = {pictures[k].any()};
    const AnyImageView first = views[0];
    std::size_t end = k + 1;
    for (; end < pictures.size(); ++end) {
      const AnyImageView own = pictures[end].any();
      if (own.width() != first.width() || own.height() != first.height()) break;
      views.push_back(own);
    }
    with_detector(queue_, first.width(), first.height(), o,
                  std::min(batch, static_cast<int>(views.size())),
                  [&](auto& detector) { (void)detector.add(views, set_); });
    return end;
  }
  // Appends a part of the results; Ctrl-C ends the call here.
  static void take(const VerifiedPairs& found, Verified& all) {
    const std::int64_t base = all.offsets.back();
    for (std::size_t k = 1; k < found.offsets.size(); ++k)
      all.offsets.push_back(base + found.offsets[k] - found.offsets[0]);
    auto& rows = all.matches.rows;
    rows.insert(rows.end(), found.matches.begin(), found.matches.end());
    BatchEstimate& b = all.estimates.result;
    b.pairs.insert(b.pairs.end(), found.estimates.begin(), found.estimates.end());
    b.inliers.insert(b.inliers.end(), found.inliers.begin(), found.inliers.end());
    nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

  std::string name_;
  std::mutex mutex_;
  Queue queue_;
  FeatureSet set_;
};

const Verified& of(nb::handle self) { return nb::cast<const Verified&>(self); }

}  // namespace

void bind_collection(nb::module_& m) {
  nb::class_<Verified> v(m, "VerifiedPairs", "Matches of P pairs of images and their geometry.");
  v.def(
      "__getstate__",
      [](const Verified& s) {
        return nb::make_tuple(bytes_of(s.pairs), bytes_of(s.matches.rows), bytes_of(s.offsets),
                              nb::cast(s.estimates, nb::rv_policy::copy));
      },
      nb::sig("def __getstate__(self) -> tuple[bytes, bytes, bytes, BatchEstimate]"));
  v.def("__setstate__",
        [](Verified& s, const std::tuple<nb::bytes, nb::bytes, nb::bytes, nb::object>& state) {
          const auto& [pairs, matches, offsets, estimates] = state;
          new (&s) Verified{vector_of<ImagePair>(pairs),
                            {vector_of<Match>(matches), {}},
                            vector_of<std::int64_t>(offsets),
                            nb::cast<const Batch&>(estimates)};
        });
  v.def("__len__", [](const Verified& s) { return s.pairs.size(); });
  v.def_prop_ro(
      "pairs",
      [](nb::handle s) {
        static_assert(sizeof(ImagePair) == 2 * sizeof(int));
        return view(s, reinterpret_cast<const int*>(of(s).pairs.data()), {of(s).pairs.size(), 2});
      },
      nb::sig("def pairs(self) -> numpy.typing.NDArray[numpy.int32]"),
      "Image numbers of each pair, shape (P, 2).");
  v.def_prop_ro(
      "offsets", [](nb::handle s) { return view(s, of(s).offsets.data(), {of(s).offsets.size()}); },
      nb::sig("def offsets(self) -> numpy.typing.NDArray[numpy.int64]"),
      "Shape (P + 1,): pair k has the matches offsets[k] to offsets[k + 1] - 1.");
  v.def_prop_ro(
      "matches", [](const Verified& s) -> const Matches& { return s.matches; },
      nb::rv_policy::reference_internal, "Matches of all pairs, one pair after another.");
  v.def_prop_ro(
      "estimates", [](const Verified& s) -> const Batch& { return s.estimates; },
      nb::rv_policy::reference_internal,
      "Geometry of each pair, with an inlier flag for each match.");
  nb::class_<Collection>(m, "Collection")
      .def(nb::init<const std::string&>(), nb::arg("device"))
      .def("__len__", &Collection::size)
      .def("__repr__", &Collection::text)
      .def("add", &Collection::add, nb::arg("features"))
      .def("detect", &Collection::detect, nb::arg("images"), nb::arg("options").none(),
           nb::arg("batch"), nb::arg("frame").none() = nb::none())
      .def("get", &Collection::get, nb::arg("image"))
      .def("counts", &Collection::counts,
           nb::sig("def counts(self) -> numpy.typing.NDArray[numpy.int32]"))
      .def("screen", &Collection::screen, nb::arg("pairs").none(), nb::arg("features"),
           nb::arg("min_matches"), nb::arg("max_ratio"),
           nb::sig("def screen(self, pairs: object | None, features: int, min_matches: int, "
                   "max_ratio: float) -> numpy.typing.NDArray[numpy.int32]"))
      .def("verify", &Collection::verify, nb::arg("pairs").none(), nb::arg("kind"),
           nb::arg("cameras").none(), nb::arg("matching").none(), nb::arg("robust").none(),
           nb::arg("min_matches"), nb::arg("guided"), nb::arg("distinct_places"));
}

}  // namespace bifocal::python
