// SPDX-License-Identifier: BSD-3-Clause
// StereoMatcher runs a search and its filters on a CPU (matcher_cpu.hpp) or on a GPU
// (matcher_device.hpp). matcher.cpp has checked the arguments.
#pragma once

#include <cstddef>
#include <memory>

#include <bifocal/stereo.hpp>

#include "stereo/winners.hpp"

namespace bifocal::stereo {

inline constexpr std::size_t kMostPending = 2;

template <class Pixel>
class PairMatcher {
 public:
  // has_confidence: false for SSD.
  PairMatcher(Queue& queue, ImageSize size, bool has_confidence)
      : queue_(queue), size_(size), has_confidence_(has_confidence) {}
  virtual ~PairMatcher() = default;
  PairMatcher(const PairMatcher&) = delete;
  PairMatcher& operator=(const PairMatcher&) = delete;

  [[nodiscard]] Queue& queue() const { return queue_; }
  [[nodiscard]] ImageSize size() const { return size_; }
  [[nodiscard]] bool has_confidence() const { return has_confidence_; }
  [[nodiscard]] std::size_t pending() const { return submitted_ - taken_; }
  [[nodiscard]] virtual std::size_t memory() const = 0;

  virtual void run(const Memory<const Pixel>& left, const Memory<const Pixel>& right,
                   const StereoOutput& out) = 0;
  void submit(ImageView<const Pixel> left, ImageView<const Pixel> right) {
    if (pending() == 0) submitted_ = taken_ = 0;  // pairs submitted one by one use slot 0 only
    start(submitted_ % kMostPending, left, right);
    ++submitted_;
  }
  void next(DisparityMap& map) {
    take(taken_ % kMostPending, map);
    ++taken_;
  }

 private:
  // Pairs in flight alternate between the slots.
  virtual void start(std::size_t slot, ImageView<const Pixel> left,
                     ImageView<const Pixel> right) = 0;
  virtual void take(std::size_t slot, DisparityMap& map) = 0;

  Queue& queue_;
  ImageSize size_;
  bool has_confidence_;
  std::size_t submitted_ = 0, taken_ = 0;
};

}  // namespace bifocal::stereo
