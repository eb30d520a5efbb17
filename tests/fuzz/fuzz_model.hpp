// SPDX-License-Identifier: BSD-3-Clause
// COLMAP's models: the bytes as each file of a model, in both formats.
#pragma once

#include "collection/colmap/model/parts.hpp"
#include "fuzz_bodies.hpp"

namespace bifocal::fuzz {

// A model that was read does not change when it is written and read again.
inline void model(std::string_view bytes) {
  using namespace colmap::model;
  for (const Part part : {Part::cameras, Part::images, Part::points, Part::rigs, Part::frames})
    for (const bool is_text : {false, true}) {
      const auto read = is_text ? text::read : binary::read;
      const auto bytes_of = is_text ? text::bytes_of : binary::bytes_of;
      expect_sound([&] {
        colmap::Model first, second, third;
        read(part, bytes, "fuzz", first);
        read(part, bytes_of(part, first), "fuzz", second);
        const std::string written = bytes_of(part, second);
        read(part, written, "fuzz", third);
        require(bytes_of(part, third) == written);
        first.has_frames = !first.rigs.empty() || !first.frames.empty();
        check(first, [](Part, const std::string& what) { throw Error(ErrorCode::input, what); });
      });
    }
}

}  // namespace bifocal::fuzz
