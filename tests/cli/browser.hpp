// SPDX-License-Identifier: BSD-3-Clause
// Opens pages in a real browser.
#pragma once

#include <gtest/gtest.h>

#include "cli/process.hpp"

namespace bifocal::test {

inline constexpr const char* kNoBrowser = "no chromium: scripts/install-packages browser";
// Flags for WebGL in software, and for a browser without WebGL.
inline constexpr const char* kWebGl =
    "--use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader";
inline constexpr const char* kNoWebGl = "--disable-gpu --disable-3d-apis";

// Opens the page with `script` added at its end and writes the resulting document to page.txt in
// the folder. Returns false without a browser.
inline bool browse(const TemporaryFolder& folder, const std::string& html,
                   const std::string& script, const std::string& address,
                   const std::string& flags = kNoWebGl) {
  if (std::system("chromium --version >/dev/null 2>&1") != 0) return false;
  const std::string end = "</body>";
  std::string page = html;
  page.insert(page.find(end), "<script>" + script + "</script>");
  write_file(folder / "browsed.html", page);
  const std::string command = fmt::format(
      "cd '{0}' && timeout 120 chromium --headless --no-sandbox {2} "
      "--user-data-dir='{0}/profile' --virtual-time-budget=4000 --dump-dom "
      "'file://{0}/browsed.html{1}' >page.txt 2>log.txt </dev/null",
      folder.path().string(), address, flags);
  EXPECT_EQ(std::system(command.c_str()), 0) << text_of(folder / "log.txt");
  return true;
}

// Checks that the page contains all these texts and no error.
inline void expect_said(const TemporaryFolder& folder, const std::vector<std::string>& texts) {
  const std::string page = read_file(folder / "page.txt");
  const std::size_t error = page.find("data-error");
  EXPECT_EQ(error, std::string::npos) << page.substr(error, 200);
  for (const std::string& text : texts)
    EXPECT_NE(page.find(text), std::string::npos) << text << "\n"
                                                  << page.substr(page.find("<body"), 1500);
}

// say() reports a value to the test. event() sends a pointer event of the mouse or a finger at a
// place of a canvas, in px.
inline constexpr const char* kHands = R"js(
  const say = (name, value) => { document.body.dataset[name] = value; };
  const event = (canvas, type, x, y, more = {}) => {
    const box = canvas.getBoundingClientRect();
    canvas.setPointerCapture = () => {};
    canvas.dispatchEvent(new PointerEvent(type, {clientX: box.left + x + 1, clientY: box.top + y + 1, bubbles: true, pointerId: 1, ...more}));
  };
)js";

}  // namespace bifocal::test
