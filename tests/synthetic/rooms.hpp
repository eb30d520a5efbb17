// SPDX-License-Identifier: BSD-3-Clause
// Rooms with textured walls and boxes, seen by pinhole cameras: images with true depth.
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace bifocal::synthetic {

struct Box {
  Vec3 low{}, high{};
};
// The first box is the room itself, seen from inside: 8 wide, 5 high, and 14 long along z. The
// remaining boxes stand in the room at z of 4 and more, so cameras have space around the origin.
struct Room {
  std::vector<Box> boxes;
  std::uint32_t seed = 0;  // texture seed
};
[[nodiscard]] Room make_room(std::uint32_t seed);

struct RoomView {
  ImageU8 picture;  // grey
  ImageF depth;     // along the optical axis, of the centre of each pixel
};
[[nodiscard]] RoomView render(const Room& room, const Intrinsics& camera,
                              const Pose& cam_from_world, int width, int height);

// Positions in px at which camera 2 sees the pixels of a view of camera 1; NaN if they are occluded
// or outside of the image.
struct TrueMatches {
  ImageF x, y;
};
[[nodiscard]] TrueMatches true_matches(const RoomView& view1, const RoomView& view2,
                                       const Intrinsics& camera1, const Intrinsics& camera2,
                                       const Pose& cam2_from_cam1);

}  // namespace bifocal::synthetic
