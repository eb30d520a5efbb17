// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/pair_report.hpp"

#include <fmt/format.h>
#include <bifocal/reasons.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string_view>

#include "jobs/depth_files.hpp"
#include "jobs/report/depth_section.hpp"
#include "jobs/report/matches_section.hpp"
#include "jobs/report/page.hpp"
#include "jobs/result_json.hpp"

namespace bifocal::jobs {
namespace {

std::string matrix_text(const Mat3& M) {
  std::string text;
  for (std::size_t i = 0; i < 9; ++i)
    text += fmt::format("{:>13.6g}{}", M[i], i % 3 == 2 ? "\n" : " ");
  return text;
}

double rotation_deg(const Mat3& R) {
  const double cosine = std::clamp((R[0] + R[4] + R[8] - 1) / 2, -1.0, 1.0);
  return std::acos(cosine) * 180 / std::numbers::pi;
}

// Returns the given camera, or the focal length that was assumed for the depth in its place.
std::string camera_text(const std::optional<Intrinsics>& c, const PairResult& r,
                        const Intrinsics DensePair::*used) {
  if (!c && r.dense && r.dense->cameras == CameraSource::assumed)
    return fmt::format("unknown; for the depth {:.0f} px are assumed", ((*r.dense).*used).fx);
  return c ? fmt::format("fx {:.2f}, fy {:.2f}, cx {:.2f}, cy {:.2f} px", c->fx, c->fy, c->cx,
                         c->cy)
           : "unknown";
}

std::string sentence_start(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}
std::string sentence(const std::string& text) { return sentence_start(text) + "."; }

std::string model_text(ModelKind kind) {
  if (kind == ModelKind::homography) return "homography";
  if (kind == ModelKind::radial_fundamental)
    return "fundamental matrix and the distortion of one lens";
  return std::string(to_string(kind)) + " matrix";
}

std::string summary(const PairResult& r) {
  if (r.outcome != Outcome::ok) return fmt::format("No geometry was found. {}", sentence(r.reason));
  return fmt::format(
      "{} of {} matches ({:.0f} %) are inliers of one {}; their error is {:.2f} px (root mean "
      "square). {}",
      r.estimate.num_inliers, r.points.size(),
      100.0 * r.estimate.num_inliers / static_cast<double>(r.points.size()), model_text(r.kind),
      r.estimate.rms, sentence(r.reason));
}

// Describes the colours of disparity_picture(). Only rectified cameras have the same disparity at
// all points of one depth.
std::string disparity_caption(const DensePair& dense) {
  const Rectification& r = dense.rectification;
  const bool has_cameras =
      r.kind == RectificationKind::planar && r.sides[0].camera.valid() && r.sides[1].camera.valid();
  const std::string colours =
      has_cameras ? "near is red"
                  : fmt::format(
                        "the {} is red. In this rectification it depends on the place in "
                        "the image as well as on the depth, which is shown above",
                        r.is_reversed ? "lowest" : "highest");
  return fmt::format(
      "Disparity of the rectified left image, px; {}. {:.0f} % of the pixels are known after the "
      "cross-check; black is unknown.",
      colours, dense.disparity.density);
}

void add_figures(Page& page, const PairReport& in) {
  const PairResult& r = in.result;
  if (r.undistorted)
    add_matches_section(page, {r.undistorted->image1, r.undistorted->image2, r.undistorted->points,
                               r.estimate, r.kind, in.cameras});
  else
    add_matches_section(page, {in.image1, in.image2, r.points, r.estimate, r.kind, in.cameras});
  if (r.outcome != Outcome::ok) return;
  if (r.kind == ModelKind::homography) {
    page.heading("Overlay");
    page.photograph(in.figures.overlay(r.estimate.model),
                    "The first photograph (red) warped onto the second (cyan): grey where both are "
                    "equal, dark outside the first.");
  } else {
    page.heading("Epipolar lines");
    const Mat3 F =
        r.kind == ModelKind::essential
            ? fundamental_from_essential(r.estimate.model, *in.cameras.camera1, *in.cameras.camera2)
            : r.estimate.model;
    constexpr std::string_view kCaption =
        "Every point lies on the line of its colour, the epipolar line of its match in the second "
        "photograph.";
    if (r.undistorted) {
      const PairFigures undistorted(r.undistorted->image1, r.undistorted->image2,
                                    r.undistorted->points, r.estimate);
      page.photograph(undistorted.epipolar_lines(r.undistorted->F),
                      fmt::format("The photographs without lens distortion. {}", kCaption));
    } else {
      page.photograph(in.figures.epipolar_lines(F), std::string(kCaption));
    }
  }
  page.heading("Depth");
  if (!r.dense) return page.paragraph(fmt::format("No depth: {}.", r.dense_reason));
  page.preformatted(depth_text(*r.dense, in.cloud_points));
  if (r.undistorted)
    add_depth_section(page, r.undistorted->image1, r.undistorted->image2, *r.dense);
  else
    add_depth_section(page, in.image1, in.image2, *r.dense);
  // Polar images are tall.
  const ImageU8 small = shrunken(in.disparity_picture);
  page.photograph(rectified_figure(*r.dense),
                  fmt::format("The rectified pair: a scene point has the same row in both. {}.",
                              sentence_start(r.dense->choice.reason)));
  page.diagram(r.dense->rectification.kind == RectificationKind::polar
                   ? ImageView<const std::uint8_t>(small)
                   : in.disparity_picture,
               disparity_caption(*r.dense));
}

void add_numbers(Page& page, const PairReport& in) {
  const PairResult& r = in.result;
  page.heading("Numbers");
  page.begin_columns();
  Rows rows = {{"First", fmt::format("{}, {} x {} px, {} features", in.file1, in.image1.width,
                                     in.image1.height, r.keypoints1.size())},
               {"Second", fmt::format("{}, {} x {} px, {} features", in.file2, in.image2.width,
                                      in.image2.height, r.keypoints2.size())},
               {"Matches", fmt::format("{}", r.points.size())},
               {"Inliers", fmt::format("{}", r.estimate.ok() ? r.estimate.num_inliers : 0)},
               {"Model", r.estimate.ok() ? std::string(to_string(r.kind)) : "none"},
               {"Iterations", fmt::format("{}", r.estimate.iterations)},
               {"Camera 1", camera_text(in.cameras.camera1, r, &DensePair::camera1)},
               {"Camera 2", camera_text(in.cameras.camera2, r, &DensePair::camera2)}};
  if (in.cameras.known()) rows.push_back({"Cameras from", in.cameras.source});
  if (r.estimated_camera.focal_length > 0)
    rows.push_back({"Estimated focal length",
                    fmt::format("{:.1f} +- {:.1f} px", r.estimated_camera.focal_length,
                                r.estimated_camera.focal_deviation)});
  if (r.estimated_camera.distortion != 0)
    rows.push_back(
        {"Estimated distortion", fmt::format("{:.4f} +- {:.4f}", r.estimated_camera.distortion,
                                             r.estimated_camera.distortion_deviation)});
  if (const auto& pose = r.cam2_from_cam1) {
    rows.push_back({"Rotation", fmt::format("{:.3f} degrees", rotation_deg(pose->R))});
    if (const std::string deviation = pose_deviation_text(r); !deviation.empty())
      rows.push_back({"Deviation of the pose", deviation});
    rows.push_back({"Direction of t", pose->t == Vec3{}
                                          ? std::string("none, the camera only rotated")
                                          : fmt::format("{:.5f}, {:.5f}, {:.5f}", pose->t[0],
                                                        pose->t[1], pose->t[2])});
  }
  if (r.dense) {
    rows.push_back({"Disparities", fmt::format("{} to {} px", r.dense->min_disparity,
                                               r.dense->min_disparity + r.dense->disparities - 1)});
    rows.push_back({"Cloud", fmt::format("{} points", r.dense->cloud.size())});
  }
  page.table("Result", rows);
  page.table("Time", time_rows(in.timings()));
  page.end_columns();
  if (r.outcome != Outcome::ok) return;
  page.heading(fmt::format("{}, row by row", symbol(r.kind)));
  page.preformatted(matrix_text(r.estimate.model));
  if (r.cam2_from_cam1) {
    page.heading("Rotation of camera 2 from camera 1, row by row");
    page.preformatted(matrix_text(r.cam2_from_cam1->R));
  }
}

// Links to the files that `bifocal pair` writes next to the page.
void add_links(Page& page, const PairReport& in) {
  const PairResult& r = in.result;
  Rows files = {{"geometry.json", "model, pose, cameras and their deviations"},
                {"matches.txt", "matches: x1 y1 x2 y2 inlier, in px"}};
  const auto add = [&](const Rows& more) { files.insert(files.end(), more.begin(), more.end()); };
  if (r.dense)
    add({{"cloud.ply", "coloured point cloud"},
         {"depth.pfm", "depth of the first photograph, in baselines"},
         {"rectified_left.png", "rectified left image"},
         {"rectified_right.png", "rectified right image"},
         {"rectification.npz", "maps between photographs and rectified pair"},
         {"disparity.png", "disparity of the rectified left image, 16 bit"}});
  if (r.dense && in.all_files)
    add({{"depth_deviation.pfm", "standard deviation of the depth"},
         {"disparity.pfm", "disparity of the rectified left image, filled"},
         {"disparity_raw.pfm", "disparity of the rectified left image"}});
  page.files(files);
}

// Returns the call that repeats the pair with another option.
std::string again(const PairReport& in, std::string_view option, std::string_view argument) {
  if (!in.python1.empty())
    return fmt::format("bifocal.estimate_pair({}, {}, {}).write(\"FOLDER\")", in.python1,
                       in.python2, argument);
  return fmt::format("bifocal pair {} {} {} --out FOLDER", shell_quoted(in.file1),
                     shell_quoted(in.file2), option);
}

// The command that most users of such a result type next.
void add_next(Page& page, const PairReport& in) {
  const PairResult& r = in.result;
  const std::string with_cameras = again(in, "--intrinsics fx,fy,cx,cy", "(fx, fy, cx, cy)");
  std::string text, command;
  if (r.outcome != Outcome::ok) {
    text =
        "With photographs taken closer together, or with known cameras, a geometry may be found:";
    command = with_cameras;
  } else if (r.kind == ModelKind::homography) {
    text = "A homography gives no depth. If the scene is not a plane, ask for another model:";
    command = again(in, "--kind fundamental", "kind=\"fundamental\"");
  } else if (!in.cameras.known() && r.estimated_camera.focal_length <= 0) {
    text = "With the intrinsics of the camera the pose and the depth are exact:";
    command = with_cameras;
  } else {
    text = "To match more photographs of this scene and show them in one page:";
    command = in.python1.empty() ? "bifocal collect PHOTOGRAPHS --database scene.db\n"
                                   "bifocal report scene.db --images PHOTOGRAPHS --out scene.html"
                                 : "bifocal.collect(\"PHOTOGRAPHS\", \"scene.db\")\n"
                                   "bifocal.report(\"scene.db\", \"scene.html\", \"PHOTOGRAPHS\")";
  }
  page.heading("Next");
  page.paragraph(text);
  page.preformatted(command);
}

}  // namespace

std::string estimated_camera_text(const EstimatedCamera& estimated) {
  std::string text;
  if (estimated.focal_length > 0)
    text = fmt::format("the matches give a focal length of {:.0f} +- {:.0f} px",
                       estimated.focal_length, estimated.focal_deviation);
  if (estimated.distortion == 0) return text;
  return text +
         fmt::format("{} a distortion of {:.3f} +- {:.3f} (division model, unit half the diagonal)",
                     text.empty() ? "the matches give" : " and", estimated.distortion,
                     estimated.distortion_deviation);
}

std::string tries_text(const std::vector<PairTry>& tries) {
  if (tries.size() < 2) return {};
  std::string text;
  for (const PairTry& t : tries)
    text += fmt::format("{}{}: {}{}, {} inliers, {:.0f} ms{}", text.empty() ? "tries: " : "; ",
                        t.name, reason_text(to_string(t.outcome)), t.is_doubted ? " (doubted)" : "",
                        t.inliers, t.ms, t.is_taken && t.inliers > 0 ? " (taken)" : "");
  return text;
}

std::string pose_deviation_text(const PairResult& r) {
  if (!r.cam2_from_cam1) return {};
  if (!r.doubt.empty()) return "unknown: the intrinsics are doubted";
  if (!r.pose_deviation.is_known) return {};
  return fmt::format("{:.2g} degrees in rotation and {:.2g} in direction",
                     r.pose_deviation.rotation_deg, r.pose_deviation.direction_deg);
}

std::string pair_report(const PairReport& in) {
  const auto name = [](const std::string& file) {
    return std::filesystem::path(file).filename().string();
  };
  Page page(fmt::format("{} and {}", name(in.file1), name(in.file2)));
  page.paragraph(summary(in.result));
  if (const std::string estimated = estimated_camera_text(in.result.estimated_camera);
      !estimated.empty())
    page.paragraph(sentence(estimated));
  if (const std::string tries = tries_text(in.result.tries); !tries.empty())
    page.paragraph(sentence(tries));
  page.warning(in.result.doubt);
  page.warning(in.result.repetition.reason);
  page.preformatted(in.command_line);
  add_figures(page, in);
  add_numbers(page, in);
  add_links(page, in);
  add_next(page, in);
  return page.html();
}

}  // namespace bifocal::jobs
