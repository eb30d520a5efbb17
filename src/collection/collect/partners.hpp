// SPDX-License-Identifier: BSD-3-Clause
// Partners of images by looks. Images with the same view count once.
#pragma once

#include <bifocal/pair_selection.hpp>

#include <array>
#include <functional>
#include <vector>

namespace bifocal::collection {

class Partners {
 public:
  // `features(i)` as of ImageIndex, `side(i)` the longer side of the image, px. Images with fewer
  // than `least` features can't be verified and are left out.
  Partners(int images, const std::function<Features(int)>& features,
           const std::function<double(int)>& side, const RetrievalOptions& options, int least);

  struct Found {
    std::vector<int> partners;  // best first
    std::vector<int> twins;     // at most two, in addition
  };
  // The images most alike: at most `count` of which no two are twins, and none is one of `image`.
  [[nodiscard]] Found of(int image, int count) const;
  // Whether two images have most of their largest features at the same places: copies, whatever
  // their size and compression, and photographs of a camera that stood still.
  [[nodiscard]] bool are_twins(int image1, int image2) const;
  // Returns whether `other` is not in `known` and no twin of these images or of `image`.
  [[nodiscard]] bool is_new(int image, int other, const std::vector<int>& known) const;

 private:
  std::vector<std::vector<std::array<float, 2>>> places_;  // of the largest features, in sides
  ImageIndex index_;
};

}  // namespace bifocal::collection
