// SPDX-License-Identifier: BSD-3-Clause
// Pages of bifocal report in a real browser: their drawings, and their reactions to the mouse
// and fingers.
#include <gtest/gtest.h>

#include "cli/browser.hpp"
#include "cli/report_page.hpp"

namespace bifocal::test {
namespace {

// The scripts run to their end and show the pair of the address.
TEST(Cli, report_works_in_a_browser) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 6, kPairs);
  ASSERT_EQ(run(folder, "report a.db --out a.html").code, 0);
  if (!browse(folder, read_file(folder / "a.html"), "", "#pair=4-5")) GTEST_SKIP() << kNoBrowser;
  expect_said(folder,
              {"data-ready=\"yes\"",
               "60 inliers of 70 matches, calibrated. This page has 60 inliers and 10 outliers",
               "<h3>&lt;b&gt;0004&lt;/b&gt;.png"});
}

// A click on an image and on a cell of the matrix, and words in the filter.
TEST(Cli, report_answers_the_mouse) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 6, kPairs);
  ASSERT_EQ(run(folder, "report a.db --out a.html").code, 0);
  const std::string script = std::string(kHands) + R"js(
    event(element('map'), 'pointerdown', map.px[2], map.py[2]);
    event(element('map'), 'pointerup', map.px[2], map.py[2]);
    say('image', images.names.indexOf(element('image').querySelector('h3').textContent));
    say('partners', [...element('image').querySelectorAll('tr')].map(r => r.lastChild.textContent).join(', '));
    const matrix = element('matrix'), cell = matrix.clientWidth / 6;
    event(matrix, 'click', 0.5 * cell, 1.5 * cell);
    say('pair', element('pair-note').textContent);
    say('scene', cloud.points.length + ' ' + cloud.cameras.length);
    element('pair-filter').value = '0003 0002';
    element('pair-filter').dispatchEvent(new Event('input'));
    say('listed', element('pair-list').options.length);
  )js";
  if (!browse(folder, read_file(folder / "a.html"), script, "")) GTEST_SKIP() << kNoBrowser;
  expect_said(folder, {"data-image=\"2\"", "data-partners=\"350 of 360, 20 of 30\"",
                       "100 inliers of 110 matches, calibrated", "data-scene=\"100 2\"",
                       "data-listed=\"1\""});
}

// The matches of a pair: residuals, the lines of the match under the mouse, and the switches.
TEST(Cli, report_shows_matches_with_residuals) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 6, kPairs);
  ASSERT_EQ(run(folder, "report a.db --out a.html").code, 0);
  const std::string script = std::string(kHands) + R"js(
    showPair(edgeOfIds.get('1-2'));
    matchView.redraw();
    say('matches', matches.count + ' ' + matches.order.filter(isShown).length);
    say('exact', matches.mostResidual < 0.1 && !element('residual-place').hidden);
    const canvas = element('matches'), boxes = matchBoxes(canvas.clientWidth), [first, second] = endsOf(7, boxes);
    event(canvas, 'pointermove', ...second);
    say('text', element('match-text').textContent.includes('inlier') && element('match-text').textContent.includes('epipolar lines'));
    const line = rowsTimes(matches.shown.F, pointOf(matches.hovered, 0)), [x, y] = pointOf(matches.hovered, 1);
    say('on', Math.abs(line[0] * x + line[1] * y + line[2]) / Math.hypot(line[0], line[1]) < 0.1);
    element('show-outliers').checked = true;
    element('show-outliers').dispatchEvent(new Event('change'));
    say('all', matches.order.filter(isShown).length);
  )js";
  if (!browse(folder, read_file(folder / "a.html"), script, "")) GTEST_SKIP() << kNoBrowser;
  expect_said(folder, {"data-matches=\"110 100\"", "data-exact=\"true\"", "data-text=\"true\"",
                       "data-on=\"true\"", "data-all=\"110\""});
}

// shoot() reads the pixels of the cloud. places(side) checks, from that camera's position, that
// points appear where its image has them. Neither uses the page's own projection.
constexpr const char* kShots = R"js(
  showPair(edgeOfIds.get('1-2'));
  const canvas = cloudView.canvas, view = () => cloud.at;
  const shoot = () => {
    cloudView.redraw();
    const [w, h] = [canvas.width, canvas.height], gl = cloudView.kind === 'WebGL' && canvas.getContext('webgl');
    const px = new Uint8Array(4 * w * h);
    if (gl) gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, px);
    else px.set(canvas.getContext('2d').getImageData(0, 0, w, h).data);
    const at = (x, y) => [...px.slice(4 * ((gl ? h - 1 - y : y) * w + x), 4 * ((gl ? h - 1 - y : y) * w + x) + 3)];
    return {w, h, px, at};
  };
  const like = (a, b) => a.every((v, i) => Math.abs(v - b[i]) < 12);
  const count = (shot, rgb) => { let n = 0; for (let k = 0; k < shot.px.length; k += 4) n += like([...shot.px.slice(k, k + 3)], rgb); return n; };
  const places = side => {
    const found = details.get(pairs.selected), p = numbers(found.positions, Uint16Array), depth = 5;
    const camera = side === 0 ? [0, 0, 0] : [0, 1, 2].map(i => -found.pose[9 + i]);  // without a turn
    Object.assign(view(), {turn: 0, tilt: 0, distance: depth, centre: [camera[0], camera[1], camera[2] + depth], focal: 1000 / 960});
    const shot = shoot();
    let right = 0, all = 0;
    for (let k = 0; k < 4 * found.inliers; k += 4) {
      const x = Math.round(shot.w / 2 + (p[k + 2 * side] / 65535 - 0.5) * 1280 / 960 * shot.h), y = Math.round(p[k + 2 * side + 1] / 65535 * shot.h);
      if (x < 2 || y < 2 || x > shot.w - 3 || y > shot.h - 3) continue;
      ++all;
      right += like(shot.at(x, y), [29, 78, 216]) || like(shot.at(x, y), [17, 47, 130]);
    }
    goHome();
    return `${right >= 0.97 * all} ${all > 80}`;
  };
  const near = (a, b) => Math.abs(a - b) < 1e-6 * (1 + Math.abs(b));
  const drag = (from, to, more) => { event(canvas, 'pointerdown', ...from, more); event(canvas, 'pointermove', ...to, more); event(canvas, 'pointerup', ...to, more); };
)js";

constexpr const char* kCloudChecks = R"js(
  say('kind', cloudView.kind);
  say('places', places(0) + ' ' + places(1));
  const first = shoot(), high = canvas.clientHeight;
  say('cameras', (count(first, [220, 38, 38]) > 30) + ' ' + (count(first, [243, 245, 247]) > first.w * first.h / 2));
  const home = {...cloud.home};
  drag([100, 100], [160, 130]);
  say('turned', near(view().turn, home.turn - 2.5 * 60 / high) && near(view().tilt, home.tilt + 2.5 * 30 / high));
  say('another', shoot().px.some((v, k) => v !== first.px[k]));
  event(canvas, 'pointermove', 300, 300);
  say('released', near(view().turn, home.turn - 2.5 * 60 / high));
  event(canvas, 'dblclick', 5, 5);
  say('home', near(view().turn, home.turn) && !shoot().px.some((v, k) => v !== first.px[k]));
  drag([100, 100], [140, 80], {shiftKey: true});
  const target = seen(view(), home.centre);
  say('moved', near(view().focal * high * target[0] / target[2], 40) && near(view().focal * high * target[1] / target[2], -20) && near(view().turn, home.turn));
  goHome();
  canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -500, bubbles: true, cancelable: true}));
  say('wheel', near(view().distance, home.distance / Math.E));
  goHome();
  event(canvas, 'pointerdown', 100, 100, {pointerId: 1});
  event(canvas, 'pointerdown', 200, 100, {pointerId: 2});
  event(canvas, 'pointermove', 300, 100, {pointerId: 2});
  event(canvas, 'pointerup', 300, 100, {pointerId: 2});
  event(canvas, 'pointercancel', 100, 100, {pointerId: 1});
  say('pinched', near(view().distance, home.distance / 2) && near(view().turn, home.turn));
  goHome();
  canvas.dispatchEvent(new KeyboardEvent('keydown', {key: '+'}));
  say('key', near(view().distance, home.distance / 1.2));
  goHome();
)js";

const std::vector<std::string> kCloudAnswers = {"data-places=\"true true true true\"",
                                                "data-cameras=\"true true\"",
                                                "data-turned=\"true\"",
                                                "data-another=\"true\"",
                                                "data-released=\"true\"",
                                                "data-home=\"true\"",
                                                "data-moved=\"true\"",
                                                "data-wheel=\"true\"",
                                                "data-pinched=\"true\"",
                                                "data-key=\"true\""};

// A lost WebGL context is restored with the same image.
TEST(Cli, report_draws_scene_points_by_webgl) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 6, kPairs);
  ASSERT_EQ(run(folder, "report a.db --out a.html").code, 0);
  const std::string script = std::string(kHands) + kShots + kCloudChecks + R"js(
    const context = canvas.getContext('webgl'), tool = context.getExtension('WEBGL_lose_context');
    canvas.addEventListener('webglcontextrestored', () => {
      say('restored', !shoot().px.some((v, k) => v !== first.px[k]));
    });
    canvas.addEventListener('webglcontextlost', () => setTimeout(() => tool.restoreContext(), 0));
    tool.loseContext();
  )js";
  if (!browse(folder, read_file(folder / "a.html"), script, "", kWebGl)) GTEST_SKIP() << kNoBrowser;
  expect_said(folder, {"data-kind=\"WebGL\"", "data-restored=\"true\""});
  expect_said(folder, kCloudAnswers);
}

TEST(Cli, report_draws_scene_points_without_webgl) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 6, kPairs);
  ASSERT_EQ(run(folder, "report a.db --out a.html").code, 0);
  const std::string script = std::string(kHands) + kShots + kCloudChecks;
  if (!browse(folder, read_file(folder / "a.html"), script, "", kNoWebGl))
    GTEST_SKIP() << kNoBrowser;
  expect_said(folder, {"data-kind=\"canvas\""});
  expect_said(folder, kCloudAnswers);
}

// Points and the images of the cameras have the photograph's grey.
TEST(Cli, report_colours_scene_points_by_the_photograph) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 6, kPairs);
  for (const int i : {1, 2}) {
    const std::string name = fmt::format("pictures/<b>{:04}</b>.png", i);
    std::filesystem::create_directories((folder / name).parent_path());
    ImageU8 picture(1280, 960);
    std::fill(picture.pixels.begin(), picture.pixels.end(), i == 1 ? 200 : 90);
    write_png(folder / name, picture);
  }
  ASSERT_EQ(run(folder, "report a.db --images pictures --out a.html").code, 0);
  const std::string script = std::string(kHands) + kShots + R"js(
    setTimeout(() => {
      const shot = shoot();
      say('greys', [[200, 200, 200], [120, 120, 120], [90, 90, 90]].map(rgb => count(shot, rgb) > 100).join(' '));
      say('blue', count(shot, [17, 47, 130]));
    }, 500);
  )js";
  if (!browse(folder, read_file(folder / "a.html"), script, "", kWebGl)) GTEST_SKIP() << kNoBrowser;
  expect_said(folder, {"data-greys=\"true true true\"", "data-blue=\"0\""});
}

}  // namespace
}  // namespace bifocal::test
