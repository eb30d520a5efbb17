// SPDX-License-Identifier: BSD-3-Clause
// What StereoMatcher is on a CPU (matcher_cpu.cpp) and on a GPU (matcher_device.cpp). Arguments
// have been checked (stereo_matcher.cpp).
#pragma once

#include <cstddef>
#include <memory>

#include <bifocal/stereo.hpp>

#include "stereo/chain_device.hpp"

namespace bifocal::stereo {

inline constexpr int kMostPending = 2;

template <class Pixel>
class MatcherEngine {
 public:
  MatcherEngine() = default;
  virtual ~MatcherEngine() = default;
  MatcherEngine(const MatcherEngine&) = delete;
  MatcherEngine& operator=(const MatcherEngine&) = delete;

  [[nodiscard]] virtual Queue& queue() const = 0;
  [[nodiscard]] virtual ChainSize size() const = 0;
  [[nodiscard]] virtual bool has_confidence() const = 0;  // SSD has none
  [[nodiscard]] virtual std::size_t memory() const = 0;
  [[nodiscard]] virtual int pending() const = 0;
  virtual void run(const Memory<const Pixel>& left, const Memory<const Pixel>& right,
                   const StereoOutput& out) = 0;
  virtual void submit(ImageView<const Pixel> left, ImageView<const Pixel> right) = 0;
  virtual void next(DisparityMap& map) = 0;
};

template <class Pixel>
[[nodiscard]] std::unique_ptr<MatcherEngine<Pixel>> make_cpu_matcher(Queue& queue, ChainSize size,
                                                                     const SgmOptions& options);
template <class Pixel>
[[nodiscard]] std::unique_ptr<MatcherEngine<Pixel>> make_device_matcher(Queue& queue,
                                                                        ChainSize size,
                                                                        const SgmOptions& options);
[[nodiscard]] std::unique_ptr<MatcherEngine<std::uint8_t>> make_cpu_matcher(
    Queue& queue, ChainSize size, const SsdOptions& options);
[[nodiscard]] std::unique_ptr<MatcherEngine<std::uint8_t>> make_device_matcher(
    Queue& queue, ChainSize size, const SsdOptions& options);

}  // namespace bifocal::stereo
