// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <bifocal/mapping.hpp>
#include <bifocal/reasons.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/robust.hpp>

#include <string>

namespace bifocal {
namespace {

// first, last: of the enumeration, without `ok`.
template <class Code>
void expect_sentences(Code first, Code last) {
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
    const std::string_view code = to_string(static_cast<Code>(i)), text = reason_text(code);
    EXPECT_NE(text, code);
    EXPECT_NE(text.find(' '), std::string_view::npos) << code;
    EXPECT_EQ(text.find('_'), std::string_view::npos) << code;
  }
}

TEST(ReasonText, every_code_has_a_sentence) {
  expect_sentences(Outcome::too_few_points, Outcome::rotation_only);
  expect_sentences(RectifyOutcome::epipole_near_image, RectifyOutcome::no_orientation);
  expect_sentences(LeftOutReason::camera, LeftOutReason::few_points);
  EXPECT_EQ(reason_text("no such code"), "no such code");
}

}  // namespace
}  // namespace bifocal
