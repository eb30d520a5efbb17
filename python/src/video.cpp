// SPDX-License-Identifier: BSD-3-Clause
// Binds the matching of each frame of a video with its predecessors.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <bifocal/video.hpp>
#include <mutex>
#include <tuple>

#include "devices.hpp"
#include "features/features_device.hpp"
#include "options.hpp"
#include "results.hpp"

namespace bifocal::python {
namespace {

struct MatchedFrame {
  int number = 0;
  std::vector<Keypoint> keypoints;
  Verified pairs;
  std::vector<PointPair> points;
};

MatchedFrame frame_of_result(VideoFrame&& result, ModelKind kind) {
  MatchedFrame frame{result.number, std::move(result.keypoints), {}, {}};
  Verified& v = frame.pairs;
  v.estimates.kind = kind;
  v.estimates.has_pose = problem_info(kind).has_pose;
  for (FramePair& pair : result.pairs) {
    v.pairs.push_back({pair.other, frame.number});
    v.matches.rows.insert(v.matches.rows.end(), pair.matches.begin(), pair.matches.end());
    v.offsets.push_back(static_cast<std::int64_t>(v.matches.rows.size()));
    BatchEstimate& e = v.estimates.result;
    e.pairs.push_back(pair.estimate);
    e.inliers.insert(e.inliers.end(), pair.inliers.begin(), pair.inliers.end());
    frame.points.insert(frame.points.end(), pair.points.begin(), pair.points.end());
  }
  v.estimates.offsets = v.offsets;
  return frame;
}

// Arguments for matching a frame with its predecessors, as given in Python. The camera and the
// options of matching and estimation may be None.
struct FramePolicy {
  std::string kind;
  nb::object camera, matching, robust;
  int min_matches, partners;
};

class FrameMatcher {
 public:
  FrameMatcher(int width, int height, nb::handle options, const FramePolicy& policy,
               const std::string& device)
      : name_(resolved_device(device)),
        queue_(Device(name_)),
        kind_(kind_of(policy.kind)),
        shape_{height, width} {
    const DetectorOptions detector = detector_options(options);
    VideoOptions o;
    if (!options.is_none()) o.sift = detector.sift;
    o.surf = detector.surf;
    o.partners = policy.partners;
    o.verify = {options_of<MatchOptions>(policy.matching), policy.min_matches, kind_,
                options_of<RobustOptions>(policy.robust)};
    if (!policy.camera.is_none()) {
      const AnyCamera any = any_camera_of(policy.camera, "camera");
      if (any.lens)
        value_error(
            "camera: has a lens, but frames' points are as they were found: give a pinhole");
      o.camera = any.pinhole;
    }
    const Unlocked unlocked;
    matcher_.emplace(queue_, width, height, o);
  }

  std::optional<MatchedFrame> add(nb::handle picture, nb::handle frame) {
    if (!frame.is_none())
      if (const AnyArray there = array_of(picture, "frame"); on_cuda(there))
        return add_there(there, frame);
    const Picture given = picture_of(picture, "frame");
    return of([&] { return matcher_->add(given.any()); });
  }
  std::optional<MatchedFrame> finish() {
    return of([&] { return matcher_->finish(); });
  }
  [[nodiscard]] std::size_t memory() const { return matcher_->memory(); }
  [[nodiscard]] std::string text() const {
    return fmt::format("<VideoMatcher of {} x {} px on {}>", shape_[1], shape_[0], name_);
  }

 private:
  std::optional<MatchedFrame> add_there(const AnyArray& there, nb::handle frame) {
    need_any_picture_there(there, "frame");
    (void)device_for(name_, &there, "frame");
    if (int(there.shape(0)) != shape_[0] || int(there.shape(1)) != shape_[1])
      value_error(fmt::format("frame: shape {}, the matcher is of ({}, {})", shape_text(there),
                              shape_[0], shape_[1]));
    await_frame(frame);
    const int channels = channels_of(there);
    return of([&] {
      if (there.dtype().bits == 8) return matcher_->add(memory_of<std::uint8_t>(there), channels);
      return matcher_->add(memory_of<std::uint16_t>(there), channels);
    });
  }
  template <class Call>
  std::optional<MatchedFrame> of(const Call& call) {
    std::optional<VideoFrame> result;
    {
      const Unlocked unlocked;
      const std::lock_guard lock(mutex_);
      result = call();
    }
    if (!result) return {};
    return frame_of_result(std::move(*result), kind_);
  }

  std::string name_;
  std::mutex mutex_;
  Queue queue_;
  ModelKind kind_;
  int shape_[2];
  std::optional<VideoMatcher> matcher_;
};

const MatchedFrame& of(nb::handle self) { return nb::cast<const MatchedFrame&>(self); }

void bind_matcher(nb::module_& m) {
  nb::class_<FramePolicy>(m, "FramePolicy")
      .def(nb::init<std::string, nb::object, nb::object, nb::object, int, int>(), nb::arg("kind"),
           nb::arg("camera").none(), nb::arg("matching").none(), nb::arg("robust").none(),
           nb::arg("min_matches"), nb::arg("partners"));
  nb::class_<FrameMatcher>(m, "VideoMatcher")
      .def(nb::init<int, int, nb::handle, const FramePolicy&, const std::string&>(),
           nb::arg("width"), nb::arg("height"), nb::arg("options").none(), nb::arg("policy"),
           nb::arg("device"))
      .def("__repr__", &FrameMatcher::text)
      .def("add", &FrameMatcher::add, nb::arg("frame").none(),
           nb::arg("framework").none() = nb::none())
      .def("finish", &FrameMatcher::finish)
      .def_prop_ro("memory", &FrameMatcher::memory);
}

}  // namespace

void bind_video(nb::module_& m) {
  nb::class_<MatchedFrame> f(
      m, "VideoFrame",
      "Features of a video frame, and its matches and geometry with preceding frames.");
  f.def(
      "__getstate__",
      [](const MatchedFrame& s) {
        return nb::make_tuple(s.number, bytes_of(s.keypoints),
                              nb::cast(s.pairs, nb::rv_policy::copy), bytes_of(s.points));
      },
      nb::sig("def __getstate__(self) -> tuple[int, bytes, VerifiedPairs, bytes]"));
  f.def("__setstate__",
        [](MatchedFrame& s, const std::tuple<int, nb::bytes, nb::object, nb::bytes>& state) {
          const auto& [number, keypoints, pairs, points] = state;
          new (&s) MatchedFrame{number, vector_of<Keypoint>(keypoints),
                                nb::cast<const Verified&>(pairs), vector_of<PointPair>(points)};
        });
  f.def_prop_ro(
      "number", [](const MatchedFrame& s) { return s.number; },
      "Number of the frame in the video, from 0.");
  f.def("__len__", [](const MatchedFrame& s) { return s.keypoints.size(); });
  f.def_prop_ro(
      "xy",
      [](nb::handle s) {
        static const float none[5] = {};
        const auto& k = of(s).keypoints;
        const std::int64_t step = sizeof(Keypoint) / sizeof(float);
        return view(s, k.empty() ? none : &k[0].x, {k.size(), 2}, {step, 1});
      },
      nb::sig("def xy(self) -> numpy.typing.NDArray[numpy.float32]"),
      "Positions of the features in px, the strongest first, shape (N, 2).");
  f.def_prop_ro(
      "pairs", [](const MatchedFrame& s) -> const Verified& { return s.pairs; },
      nb::rv_policy::reference_internal,
      "Matches and geometry with preceding frames, the nearest frame first; pairs.pairs[k] is "
      "(number of the earlier frame, number of this frame).");
  f.def_prop_ro(
      "points",
      [](nb::handle s) {
        static_assert(sizeof(PointPair) == 4 * sizeof(double));
        static const double none[4] = {};
        const auto& p = of(s).points;
        return view(s, p.empty() ? none : &p[0].x1, {p.size(), 4});
      },
      nb::sig("def points(self) -> numpy.typing.NDArray[numpy.float64]"),
      "Positions of pairs.matches in px, shape (M, 4): x1 y1 in the earlier frame and x2 y2 in "
      "this frame.");
  bind_matcher(m);
}

}  // namespace bifocal::python
