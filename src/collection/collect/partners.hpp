// SPDX-License-Identifier: BSD-3-Clause
// Selects partners of images by similarity. Images with the same view count once.
#pragma once

#include <bifocal/pair_selection.hpp>

#include <array>
#include <functional>
#include <vector>

namespace bifocal::collection {

class Partners {
 public:
  // features(i): features of image i, as for ImageIndex. side(i): longer side of image i in px.
  // Images with fewer than `least` features cannot be verified and are left out.
  Partners(int images, const std::function<Features(int)>& features,
           const std::function<double(int)>& side, const RetrievalOptions& options, int least);

  struct Found {
    std::vector<int> partners;  // best first
    std::vector<int> twins;     // at most two, in addition
  };
  // Returns the most similar images: at most `count`, without twins of `image` and of each other.
  [[nodiscard]] Found of(int image, int count) const;
  // Returns whether two images are twins: most of their largest features lie at the same positions.
  // Copies of any size and compression are twins, and photographs of a stationary camera.
  [[nodiscard]] bool are_twins(int image1, int image2) const;
  // Returns whether `other` is neither in `known` nor a twin of an image in `known` or of `image`.
  [[nodiscard]] bool is_new(int image, int other, const std::vector<int>& known) const;

 private:
  // Positions of the largest features of each image, in fractions of the longer side.
  std::vector<std::vector<std::array<float, 2>>> places_;
  ImageIndex index_;
};

}  // namespace bifocal::collection
