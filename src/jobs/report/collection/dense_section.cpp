// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/collection/dense_section.hpp"

#include <fmt/format.h>
#include <bifocal/dense.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "jobs/report/collection/pair_details.hpp"
#include "jobs/report/depth_figures.hpp"
#include "jobs/report/pair_figures.hpp"

namespace bifocal::jobs {
namespace fs = std::filesystem;
namespace {

constexpr int kQuality = 85;  // of JPEG: colours stand for numbers
constexpr Colour kUnknown{208, 208, 208};

[[noreturn]] void reject(const fs::path& file, const std::string& what) {
  throw Error(ErrorCode::input, fmt::format("{}: {}", file.string(), what));
}

// Returns the largest relative deviation of the colours: 1, 2 or 5 times a power of ten.
double largest_deviation(double median) {
  constexpr double kMedians = 4;
  double limit = 1e-5;
  for (int k = 0; limit < kMedians * median && limit < 1; ++k) limit *= k % 3 == 1 ? 2.5 : 2;
  return limit;
}

// Returns the median of the known numbers.
int median_views(const ImageU8& views) {
  std::vector<std::uint8_t> known;
  std::ranges::copy_if(views.pixels, std::back_inserter(known), [](auto v) { return v > 0; });
  if (known.empty()) return 0;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::ranges::nth_element(known, middle);
  return *middle;
}

std::string picture(const ImageU8& rgb, std::string_view name) {
  return picture_element("jpeg",
                         encode_jpeg(reduced_rgb(rgb, kThumbnailSide, kThumbnailSide), kQuality),
                         fmt::format("alt=\"{}\"", name));
}

ImageDepth described(DenseMap map) {
  const int views = median_views(map.views);
  if (views == 0) return {{}, map.reason.empty() ? "no pixel has a depth" : map.reason};
  const DepthMap depth{std::move(map.depth), std::move(map.deviation)};
  const DepthSummary s = summary_of(depth);
  const double limit = largest_deviation(s.relative_deviation);
  const ImageU8 deviation = painted(
      depth, [&](double z, double d) { return 0.05 + 0.9 * d / z / limit; }, kUnknown);
  std::array<std::string, 5> values;
  for (std::size_t k = 0; k < 5; ++k)
    values[k] = fmt::format("{:.3g} %", 100 * limit * double(k) / 4);
  ImageDepth out;
  out.text = fmt::format("{:.0f} % of the pixels known, {} images agree, deviation {:.2g} %",
                         s.known, views, 100 * s.relative_deviation);
  out.html =
      figure(picture(depth_picture(depth, kUnknown), "Depth") + depth_legend(depth, ""),
             "Depth in the unit of the model. Grey: unknown.") +
      figure(picture(deviation, "Deviation of the depth") + colour_legend(0.05, 0.95, values),
             "Standard deviation, in per cent of the depth.");
  return out;
}

// Finds images of the cameras by name.
std::unordered_map<std::string_view, const colmap::ModelImage*> names_of(const DenseFolder& dense) {
  std::unordered_map<std::string_view, const colmap::ModelImage*> names;
  if (dense.cameras)
    for (const colmap::ModelImage& image : dense.cameras->images) names.emplace(image.name, &image);
  return names;
}

ImageDepth read_depth(const DenseFolder& dense, const colmap::ModelImage& image) {
  const fs::path file = dense.folder / "depth" / (image.name + ".npz");
  std::error_code none;
  if (!stays_inside(image.name)) return {{}, "its name leads out of the folder"};
  if (!fs::exists(file, none)) return {{}, fmt::format("{}: is missing", file.string())};
  DenseMap map = read_dense_map(file);
  for (const colmap::ModelCamera& camera : dense.cameras->cameras)
    if (camera.id == image.camera_id &&
        (camera.width != map.depth.width || camera.height != map.depth.height))
      reject(file, fmt::format("has {} x {} px, its camera {} x {}", map.depth.width,
                               map.depth.height, camera.width, camera.height));
  return described(std::move(map));
}

// Images with depth, as links to their place on the page.
void add_known(Page& page, const DepthPictures& depth, const ViewGraph& graph) {
  constexpr std::size_t kMost = 500;
  if (depth.known == 0) return;
  page.paragraph(
      "A click on an image, in this list or on the map, shows its depth. Deviations and numbers of "
      "images that agree, the image itself included, are medians.");
  std::string rows;
  std::size_t count = 0;
  for (const auto& [i, made] : depth.images) {
    if (made.html.empty() || count++ >= kMost) continue;
    const GraphImage& image = graph.images[static_cast<std::size_t>(i)];
    rows += fmt::format("<tr><td><a href=\"#image={}\">{}</a></td><td>{}</td></tr>\n", image.id,
                        escaped(image.name), made.text);
  }
  page.markup(fmt::format(
      "<div class=\"names\">\n<table><caption>Depth of images: "
      "{}{}</caption>\n{}</table>\n</div>\n",
      depth.known, depth.known > kMost ? fmt::format(", the first {} listed here", kMost) : "",
      rows));
}

Rows unknown_rows(const DepthPictures& depth, const ViewGraph& graph) {
  Rows rows;
  for (const auto& [i, made] : depth.images)
    if (made.html.empty())
      rows.push_back({graph.images[static_cast<std::size_t>(i)].name, made.text});
  return rows;
}

Rows foreign_rows(const DenseFolder& dense, const ViewGraph& graph) {
  std::unordered_set<std::string_view> known;
  for (const GraphImage& image : graph.images) known.insert(image.name);
  Rows rows;
  if (dense.cameras)
    for (const colmap::ModelImage& image : dense.cameras->images)
      if (!known.contains(image.name)) rows.push_back({image.name, ""});
  return rows;
}

}  // namespace

DenseFolder read_dense_folder(const fs::path& folder) {
  std::error_code none;
  if (!fs::is_directory(folder, none)) reject(folder, "is no folder");
  DenseFolder dense{folder};
  if (!fs::exists(dense.cloud(), none))
    reject(folder, "has no fused.ply, which a finished `bifocal dense` writes");
  dense.points = read_ply(dense.cloud());
  dense.has_maps = fs::is_directory(folder / "depth", none);
  if (dense.has_maps || colmap::model_format(folder / "cameras"))
    dense.cameras = colmap::read_model(folder / "cameras");
  else if (colmap::model_format(folder / "sparse"))  // a dense workspace of COLMAP
    dense.cameras = colmap::read_model(folder / "sparse");
  return dense;
}

void check_dense_folder(const DenseFolder& dense, const ViewGraph& graph,
                        const fs::path& database) {
  if (!dense.cameras || dense.cameras->images.empty()) return;
  if (foreign_rows(dense, graph).size() == dense.cameras->images.size())
    reject(dense.folder, fmt::format("none of its {} images is in {}", dense.cameras->images.size(),
                                     database.string()));
}

DepthPictures depth_pictures(const DenseFolder& dense, const ViewGraph& graph,
                             const std::vector<int>& images, std::int64_t most, unsigned threads) {
  DepthPictures out;
  if (!dense.has_maps) return out;
  const auto names = names_of(dense);
  const auto make = [&](std::size_t k) {
    const auto found = names.find(graph.images[static_cast<std::size_t>(images[k])].name);
    return found == names.end() ? ImageDepth{{}, "it is not in the model of the depth maps"}
                                : read_depth(dense, *found->second);
  };
  const auto take = [&](std::size_t k, ImageDepth made) {
    constexpr std::size_t kMore = 500;  // escaped characters, and the row of the list
    const auto bytes = static_cast<std::int64_t>(made.html.size() + kMore);
    if (out.bytes + bytes > most) return false;
    out.bytes += bytes;
    if (!made.html.empty()) ++out.known;
    out.images[images[k]] = std::move(made);
    return true;
  };
  in_batches(most > 0 ? images.size() : 0, threads, make, take);
  for (std::size_t i = 0; i < graph.images.size(); ++i)
    if (names.contains(graph.images[i].name) && !out.images.contains(static_cast<int>(i)))
      ++out.over;
  return out;
}

void add_dense(Page& page, const DenseSection& section, const ViewGraph& graph) {
  const auto& [dense, cloud, depth] = section;
  page.markup(fmt::format("<style>{}</style>\n", kLegendStyle));
  page.heading("Dense model");
  const std::string file = dense.cloud().string();
  if (cloud.pictures[0].empty()) {
    page.paragraph(fmt::format("{} has no points.", file));
  } else {
    constexpr const char* kCaptions[] = {"From above", "From the side", "From the other side"};
    page.markup("<div class=\"models clouds\">\n");
    for (std::size_t k = 0; k < 3; ++k) {
      if (k == 1) page.markup("<div>\n");
      page.photograph(cloud.pictures[k], kCaptions[k]);
    }
    page.markup("</div>\n</div>\n");
    page.paragraph(fmt::format("The {} points of {}. {} Points far from the others are not drawn.",
                               dense.points, file, cloud.axes.text()));
  }
  if (!dense.has_maps)
    page.paragraph(fmt::format("{} has no depth maps as NPZ files, so only the cloud is shown.",
                               dense.folder.string()));
  add_known(page, depth, graph);
  if (depth.over > 0)
    page.paragraph(fmt::format(
        "Depth of {} more images does not fit into the size limit of the page.", depth.over));
  page.list("Images without depth", unknown_rows(depth, graph));
  page.list("Images of the depth maps that are not in the database", foreign_rows(dense, graph));
}

}  // namespace bifocal::jobs
