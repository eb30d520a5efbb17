// SPDX-License-Identifier: BSD-3-Clause
// Undistorted photographs of a model for dense depth.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/colmap/model.hpp>
#include <bifocal/device.hpp>
#include <bifocal/image.hpp>
#include <bifocal/rectify.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace bifocal::dense {

// Cameras of the undistorted images, whose longest side is at most max_size, and their pixels.
class DensePhotographs {
 public:
  // Throws as colmap::undistorted_camera().
  DensePhotographs(Queue& queue, const colmap::Model& model, std::filesystem::path folder,
                   int max_size);

  // PINHOLE, with the number of the model's camera.
  [[nodiscard]] const colmap::ModelCamera& camera(colmap::Id id) const {
    return views_.at(id).reduced;
  }
  // Converts a pixel of a photograph to a pixel of its undistorted image; not finite if no pinhole
  // sees it.
  [[nodiscard]] Vec2 place(colmap::Id camera, const Vec2& px) const;
  // Reads a photograph as it is stored, without EXIF's orientation; RGB or grey, reduced if its
  // camera has no lens. Any number of threads may read at a time. Throws Error(input) if the file
  // cannot be read or has another size than its camera.
  [[nodiscard]] ImageU8 read(const colmap::ModelImage& image) const;
  // Returns the undistorted image of a photograph from read(). Works on the queue.
  [[nodiscard]] ImageU8 undistort(colmap::Id camera, ImageU8&& photograph) const;

 private:
  struct View {
    colmap::ModelCamera distorted, reduced;
    LensCamera lens;
    std::shared_ptr<const Remapper> remapper;  // null without a lens
  };
  Queue& queue_;
  std::filesystem::path folder_;
  int max_size_;
  std::map<colmap::Id, View> views_;
};

}  // namespace bifocal::dense
