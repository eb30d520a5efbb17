// SPDX-License-Identifier: BSD-3-Clause
// Depth maps and clouds of `bifocal dense` on the page of a collection.
#include <gtest/gtest.h>

#include "cli/browser.hpp"
#include "cli/report_page.hpp"
#include "dense/scene.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;

// Photographs of the database's images 1 to 3, their model and their depth.
void write_collection(const TemporaryFolder& folder, const std::string& flags = "") {
  make_database(folder / "a.db", 6, kPairs);
  std::vector<std::string> names;
  for (int i = 1; i <= 3; ++i) names.push_back(fmt::format("<b>{:04}</b>.png", i));
  const colmap::Model model = write_scene(folder / "in", names, small_camera());
  colmap::write_model(folder / "sparse/0", model, colmap::ModelFormat::binary);
  const Ran r =
      run(folder, "dense sparse/0 --images in --device cpu --min-agreeing 1 --out d " + flags);
  ASSERT_EQ(r.code, 0) << r.err;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

// Expects that the page has all these texts.
void expect_on_page(const std::string& page, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) EXPECT_NE(page.find(text), std::string::npos) << text;
}

// Returns the pictures of the page's elements, not those of its scripts.
std::vector<ImageU8> pictures_of(const std::string& page) {
  std::vector<ImageU8> pictures;
  const std::string start = "<img src=\"data:image/jpeg;base64,";
  for (std::size_t at = 0; (at = page.find(start, at)) != std::string::npos;) {
    at += start.size();
    const auto bytes = numbers<char>(json(page.substr(at, page.find('"', at) - at)));
    pictures.push_back(decode_image({bytes.data(), bytes.size()}, "picture"));
  }
  return pictures;
}

TEST(DensePage, ShowsTheCloudAndTheDepthOfEachImage) {
  const TemporaryFolder folder;
  write_collection(folder);
  const Ran r = run(folder, "report a.db --model sparse --dense d --out a.html --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(json::parse(r.out)["depths"], 3);
  const std::string page = read_file(folder / "a.html");
  const std::size_t section = page.find("<h2>Dense model</h2>");
  ASSERT_NE(section, std::string::npos);
  EXPECT_EQ(pictures_of(page).size(), 3U);
  std::size_t at = section;
  for (const char* caption : {"From above", "From the side", "From the other side"}) {
    at = page.find(fmt::format("<figcaption>{}</figcaption>", caption), at);
    EXPECT_NE(at, std::string::npos) << caption;
  }
  expect_on_page(
      page,
      {fmt::format("The {} points of d/fused.ply.", read_ply(folder / "d/fused.ply")),
       "Depth of images: 3", "<a href=\"#image=2\">&lt;b&gt;0002&lt;/b&gt;.png</a></td><td>"});
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  const json depths = data_of(page)["depths"];
  ASSERT_EQ(depths.size(), 6U);
  for (const char* image : {"0", "1", "2"}) {
    const std::string html = depths[image]["html"];
    EXPECT_EQ(pictures_of(html).size(), 2U);
    EXPECT_EQ(count_of(html, "class=\"legend\""), 2U);
    expect_on_page(html, {"Grey: unknown.", "<span>0 %</span>", "in per cent of the depth."});
    expect_on_page(depths[image]["text"],
                   {" % of the pixels known, ", " images agree, deviation "});
  }
  EXPECT_EQ(depths["5"]["html"], "");
  EXPECT_EQ(depths["5"]["text"], "it is not in the model of the depth maps");
}

TEST(DensePage, UnknownPixelsAreGrey) {
  const TemporaryFolder folder;
  write_collection(folder);
  ASSERT_EQ(run(folder, "report a.db --dense d --out a.html").code, 0);
  const json depths = data_of(read_file(folder / "a.html"))["depths"];
  const DenseMap map = read_dense_map(folder / "d/depth/<b>0001</b>.png.npz");
  for (const ImageU8& picture : pictures_of(depths["0"]["html"])) {
    ASSERT_EQ(picture.width, 72);
    const std::uint8_t* sky = &picture.at(36, 1);
    EXPECT_TRUE(std::isnan(map.depth.at(36, 1)));
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(sky[c], 208, 12);
  }
}

// A red floor of 4 x 2 below a smaller blue one, seen by cameras around them.
TEST(DensePage, NearPointsHideFarOnes) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 6, kPairs);
  colmap::Model model;
  model.cameras.push_back(small_camera());
  for (Id i = 0; i < 4; ++i) {  // y is down
    const double s = i % 2 == 0 ? 1 : -1;
    const Mat3 R = i < 2 ? Mat3{s, 0, 0, 0, 1, 0, 0, 0, s} : Mat3{0, 0, -s, 0, 1, 0, s, 0, 0};
    model.images.push_back({i + 1,
                            i == 0 ? "<b>0001</b>.png" : fmt::format("{}.png", i),
                            1,
                            colmap::model_pose({R, {0, 0, 5}}),
                            {}});
  }
  colmap::write_model(folder / "sparse", model, colmap::ModelFormat::text);
  std::vector<CloudPoint> points;
  for (float x = -2; x <= 2; x += 0.02F)
    for (float z = -1; z <= 1; z += 0.02F) {
      points.push_back({x, 0, z, 255, 0, 0});
      if (std::abs(x) < 1 && std::abs(z) < 0.5F) points.push_back({x, -1, z, 0, 0, 255});
    }
  fs::create_directory(folder / "d");
  write_ply(folder / "d/fused.ply", points);
  const Ran r = run(folder, "report a.db --model sparse --dense d --out a.html");
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string page = read_file(folder / "a.html");
  const std::vector<ImageU8> pictures = pictures_of(page);
  ASSERT_EQ(pictures.size(), 3U);
  const auto is = [](const ImageU8& of, double x, double y, int channel) {
    const std::uint8_t* p = &of.at(int(x * of.width), int(y * of.height));
    return p[channel] > 180 && p[(channel + 1) % 3] < 90 && p[(channel + 2) % 3] < 90;
  };
  EXPECT_GT(pictures[0].width, 1.5 * pictures[0].height);
  EXPECT_TRUE(is(pictures[0], 0.5, 0.5, 2));
  EXPECT_TRUE(is(pictures[0], 0.1, 0.5, 0));
  for (const std::size_t side : {1, 2}) {
    bool is_blue = false, is_red = false;  // the upper and the lower line
    for (double y = 0; y < 1; y += 1.0 / pictures[side].height) {
      is_blue |= y < 0.5 && is(pictures[side], 0.5, y, 2);
      is_red |= y > 0.5 && is(pictures[side], 0.5, y, 0);
      EXPECT_FALSE(y < 0.5 && is(pictures[side], 0.5, y, 0)) << y;
    }
    EXPECT_TRUE(is_blue && is_red) << side;
  }
  expect_on_page(page, {"d has no depth maps as NPZ files, so only the cloud is shown."});
}

TEST(DensePage, NamesImagesWithoutDepthAndForeignOnes) {
  const TemporaryFolder folder;
  write_collection(folder);
  colmap::Model cameras = colmap::read_model(folder / "d/cameras");
  cameras.images[0].name = "<i>.png";
  colmap::write_model(folder / "d/cameras", cameras, colmap::ModelFormat::binary, true);
  fs::remove(folder / "in/<b>0002</b>.png");
  ASSERT_EQ(run(folder, "dense sparse/0 --images in --device cpu --out e").code, 0);
  fs::copy(folder / "e/depth/<b>0002</b>.png.npz", folder / "d/depth/<b>0002</b>.png.npz",
           fs::copy_options::overwrite_existing);
  fs::remove(folder / "d/depth/<b>0003</b>.png.npz");
  const Ran r = run(folder, "report a.db --dense d --out a.html --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(json::parse(r.out)["depths"], 0);
  const std::string page = read_file(folder / "a.html");
  expect_on_page(
      page,
      {"Images without depth: 6", "&lt;b&gt;0002&lt;/b&gt;.png</td><td>its photograph is missing",
       "d/depth/&lt;b&gt;0003&lt;/b&gt;.png.npz: is missing",
       "&lt;b&gt;0001&lt;/b&gt;.png</td><td>it is not in the model of the depth maps",
       "Images of the depth maps that are not in the database: 1", "&lt;i&gt;.png"});
  EXPECT_EQ(page.find("Depth of images"), std::string::npos);
}

TEST(DensePage, HasTheSizeOfThePage) {
  const TemporaryFolder folder;
  write_collection(folder);
  const Ran r = run(folder, "report a.db --dense d --out a.html --max-size 60K --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json said = json::parse(r.out);
  EXPECT_LT(said["depths"], 3);
  expect_on_page(
      read_file(folder / "a.html"),
      {fmt::format("Depth of {} more images does not fit into the size limit of the page.",
                   3 - said["depths"].get<int>())});
}

TEST(DensePage, RefusedFoldersAreNamedAndLeaveNoPage) {
  const TemporaryFolder folder;
  write_collection(folder);
  const auto fails = [&](const std::string& dense, const std::string& named) {
    const Ran r = run(folder, "report a.db --out a.html --dense " + dense);
    EXPECT_EQ(r.code, 3) << dense;
    EXPECT_NE(r.err.find(named), std::string::npos) << r.err;
    EXPECT_FALSE(fs::exists(folder / "a.html"));
  };
  const auto with_file = [&](const std::string& name, const std::string& file,
                             const std::string& bytes) {
    fs::copy(folder / "d", folder / name, fs::copy_options::recursive);
    write_file(folder / name / file, bytes);
    return name;
  };
  const std::string npz = "depth/<b>0001</b>.png.npz";
  fails("missing", "missing: is no folder");
  fails("in", "in: has no fused.ply");
  const std::string ply = read_file(folder / "d/fused.ply"), map = read_file(folder / "d" / npz);
  fails(with_file("p", "fused.ply", ply.substr(0, ply.size() - 9)), "p/fused.ply: is truncated");
  fails(with_file("q", "fused.ply", "text"), "q/fused.ply: is not a PLY file");
  fails(with_file("m", npz, map.substr(0, map.size() / 2)), "m/" + npz);
  write_npz(folder / "small.npz", std::vector<NamedArray>{});
  fails(with_file("n", npz, read_file(folder / "small.npz")), "n/" + npz);
  colmap::Model cameras = colmap::read_model(folder / "d/cameras");
  cameras.cameras[0].width = 80;
  colmap::write_model(folder / "d/cameras", cameras, colmap::ModelFormat::binary, true);
  fails("d", "has 72 x 54 px, its camera 80 x 54");
  for (colmap::ModelImage& image : cameras.images) image.name += "x";
  colmap::write_model(folder / "d/cameras", cameras, colmap::ModelFormat::binary, true);
  fails("d", "d: none of its 3 images is in a.db");
  fs::remove_all(folder / "d/cameras");
  fails("d", "d/cameras: there is no such folder");
}

TEST(DensePage, ShowsDepthOfAnImageInABrowser) {
  const TemporaryFolder folder;
  write_collection(folder);
  ASSERT_EQ(run(folder, "report a.db --dense d --out a.html").code, 0);
  const std::string script = std::string(kHands) + R"js(
    const pictures = [...element('image').querySelectorAll('figure')];
    say('figures', pictures.length);
    say('captions', pictures.map(f => f.querySelector('figcaption').textContent.split(/[ .,]/)[0]).join(' '));
    say('note', element('image').querySelector('.note').textContent.startsWith('Depth: '));
  )js";
  if (!browse(folder, read_file(folder / "a.html"), script, "#image=2")) GTEST_SKIP() << kNoBrowser;
  expect_said(folder, {"data-ready=\"yes\"", "data-figures=\"2\"",
                       "data-captions=\"Depth Standard\"", "data-note=\"true\""});
}

}  // namespace
}  // namespace bifocal::test
