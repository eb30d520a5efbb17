// SPDX-License-Identifier: BSD-3-Clause
// The page of bifocal pair in a real browser: its cloud, and the slider between the photographs.
#include <gtest/gtest.h>

#include "cli/browser.hpp"

namespace bifocal::test {
namespace {

// Points at the first end of match 0, and switches the inliers off.
constexpr const char* kMatches = R"js(
  const matchCanvas = element('matches'), [x, y] = endsOf(0, matchBoxes(matchCanvas.clientWidth))[0];
  event(matchCanvas, 'pointermove', x, y);
  say('hovered', matches.hovered >= 0 && element('match-text').textContent.includes('residual'));
  say('inliers', matches.order.filter(isShown).length > 20);
  element('show-inliers').checked = false;
  element('show-inliers').dispatchEvent(new Event('change'));
  say('hidden', matches.order.filter(isShown).length);
  matchView.redraw();
  say('histogram', residualView.canvas.width > 100);
  say('links', [...document.querySelectorAll('ul a')].map(a => a.textContent).join(' '));
)js";
constexpr const char* kLook = R"js(
  say('points', cloud.points.length > 20000);
  say('cameras', cloud.cameras.length);
  say('kind', cloudView.kind);
  const before = cloud.at.turn, canvas = element('cloud');
  event(canvas, 'pointerdown', 100, 100);
  event(canvas, 'pointermove', 140, 100, {buttons: 1});
  event(canvas, 'pointerup', 140, 100);
  say('turned', cloud.at.turn !== before);
  element('slider').value = 20;
  element('slider').dispatchEvent(new Event('input'));
  say('clip', element('warped').style.clipPath.includes('20%'));
  cloudView.redraw();
  say('sizes', element('photo-0').naturalWidth === element('warped').naturalWidth);
)js";

struct Renderer {
  const char *flags, *kind;

  friend void PrintTo(const Renderer& renderer, std::ostream* out) { *out << renderer.kind; }
};
class PairPage : public testing::TestWithParam<Renderer> {};

TEST_P(PairPage, shows_the_cloud_and_slides) {
  const auto [flags, kind] = GetParam();
  const TemporaryFolder folder;
  write_pictures(folder);
  const Ran r = run(folder,
                    "pair left.png right.png --out o --intrinsics 400,400,199.5,149.5 "
                    "--kind essential");
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string script =
      std::string(kHands) + "addEventListener('load', () => {" + kMatches + kLook + "});";
  if (!browse(folder, read_file(folder / "o/report.html"), script, "", flags))
    GTEST_SKIP() << kNoBrowser;
  expect_said(folder, {"data-ready=\"yes\"", "data-points=\"true\"", "data-cameras=\"2\"",
                       fmt::format("data-kind=\"{}\"", kind), "data-turned=\"true\"",
                       "data-clip=\"true\"", "data-sizes=\"true\"", "data-hovered=\"true\"",
                       "data-inliers=\"true\"", "data-hidden=\"0\"", "data-histogram=\"true\"",
                       "data-links=\"geometry.json matches.txt cloud.ply"});
}

TEST(PairPageOfAPlane, ShowsItsMatchesWithoutDepth) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const Ran r = run(folder, "pair left.png planar.png --out o --kind homography");
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string script =
      std::string(kHands) + "addEventListener('load', () => {" + kMatches + "});";
  if (!browse(folder, read_file(folder / "o/report.html"), script, "")) GTEST_SKIP() << kNoBrowser;
  expect_said(folder, {"data-hovered=\"true\"", "data-inliers=\"true\"", "data-hidden=\"0\"",
                       "data-links=\"geometry.json matches.txt\""});
}

INSTANTIATE_TEST_SUITE_P(, PairPage,
                         testing::Values(Renderer{kWebGl, "WebGL"}, Renderer{kNoWebGl, "canvas"}),
                         [](const auto& of) { return std::string(of.param.kind); });

}  // namespace
}  // namespace bifocal::test
