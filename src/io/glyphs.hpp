// SPDX-License-Identifier: BSD-3-Clause
// Bitmap font for the labels in images: printable ASCII, 5 x 7 pixels per glyph.
#pragma once

#include <cstddef>
#include <string_view>

namespace bifocal::io {

inline constexpr int kGlyphWidth = 5;
inline constexpr int kGlyphHeight = 7;

// Glyphs from the blank to the tilde. A glyph has seven rows from the top, each a base-32 digit
// (0-9 A-V) of five pixels with the leftmost in the highest bit.
// clang-format off
inline constexpr std::string_view kGlyphs =
    "0000000" "4444404" "AAA0000" "AAVAVAA" "4FKE5U4" "OP248J3" "CIK8LID" "4480000"  //  !"#$%&'
    "2488842" "8422248" "04LEL40" "044V440" "0000CC8" "000E000" "00000CC" "01248G0"  // ()*+,-./
    "EHJLPHE" "4C4444E" "EH1248V" "EH161HE" "26AIV22" "VGU11HE" "68GUHHE" "V124888"  // 01234567
    "EHHEHHE" "EHHF12C" "0CC0CC0" "0CC0CC8" "248G842" "00V0V00" "8421248" "EH12404"  // 89:;<=>?
    "EH1DLLE" "EHHVHHH" "UHHUHHU" "EHGGGHE" "SIHHHIS" "VGGUGGV" "VGGUGGG" "EHGNHHF"  // @ABCDEFG
    "HHHVHHH" "E44444E" "72222IC" "HIKOKIH" "GGGGGGV" "HRLLHHH" "HHPLJHH" "EHHHHHE"  // HIJKLMNO
    "UHHUGGG" "EHHHLID" "UHHUKIH" "FGGE11U" "V444444" "HHHHHHE" "HHHHHA4" "HHHLLLA"  // PQRSTUVW
    "HHA4AHH" "HHA4444" "V1248GV" "E88888E" "0G84210" "E22222E" "4AH0000" "000000V"  // XYZ[\]^_
    "8420000" "00E1FHF" "GGUHHHU" "00EHGHE" "11FHHHF" "00EHVGE" "698S888" "00FHF1E"  // `abcdefg
    "GGUHHHH" "40C444E" "20622IC" "GGIKOKI" "C44444E" "00QLLLL" "00UHHHH" "00EHHHE"  // hijklmno
    "00UHUGG" "00FHF11" "00MPGGG" "00FGE1U" "88S8896" "00HHHJD" "00HHHA4" "00HHLLA"  // pqrstuvw
    "00HA4AH" "00HHF1E" "00V248V" "2448442" "4444444" "8442448" "008L200";            // xyz{|}~
// clang-format on
static_assert(kGlyphs.size() == 95 * kGlyphHeight);

// Returns whether pixel (x, y) of a glyph is ink; characters outside the font are drawn as '?'.
constexpr bool glyph_ink(char character, int x, int y) {
  const int index = (character < ' ' || character > '~' ? '?' : character) - ' ';
  const char digit = kGlyphs[std::size_t(index * kGlyphHeight + y)];
  const int row = digit <= '9' ? digit - '0' : digit - 'A' + 10;
  return (row >> (kGlyphWidth - 1 - x) & 1) != 0;
}

}  // namespace bifocal::io
