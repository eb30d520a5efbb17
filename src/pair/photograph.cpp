// SPDX-License-Identifier: BSD-3-Clause
#include "pair/photograph.hpp"

#include <bifocal/io.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace bifocal::pair {

Photograph::Photograph(const AnyImageView& image) : view_(image.shallow()) {
  if (image.bits() == 8) return;
  own_ = std::make_shared<const ImageU8>(to_8_bits(image));
  view_ = *own_;
  deep_ = std::make_shared<const DeepGrey>(
      DeepGrey{to_grey(image.deep()), 65535 >> unused_bits(image)});
}

void Photograph::upload(Queue& queue) {
  if (queue.device().info().kind == DeviceKind::cpu || samples_.size() > 0) return;
  const auto row = static_cast<std::size_t>(view_.width) * static_cast<std::size_t>(view_.channels);
  std::span<const std::uint8_t> rows(view_.data, row * static_cast<std::size_t>(view_.height));
  std::vector<std::uint8_t> packed;
  if (view_.stride != static_cast<std::ptrdiff_t>(row)) {
    for (int y = 0; y < view_.height; ++y)
      packed.insert(packed.end(), view_.row(y), view_.row(y) + row);
    rows = packed;
  }
  Buffer<std::uint8_t> samples(queue.device(), rows.size());
  samples.upload(queue, rows);
  queue.wait();
  samples_ = std::move(samples);
}

ImageU8 Photograph::remapped(Queue& queue, const Remapper& remapper, ImageU8* valid) const {
  if (samples_.size() == 0) return remapper(queue, view_, valid);
  ImageU8 out(remapper.width(), remapper.height(), view_.channels);
  if (valid) *valid = ImageU8(remapper.width(), remapper.height());
  const Buffer<std::uint8_t> made(queue.device(), out.pixels.size());
  const Buffer<std::uint8_t> marks(queue.device(), valid ? valid->pixels.size() : 0);
  remapper.run(queue, samples_, view_.channels, made,
               valid ? Memory<std::uint8_t>(marks) : Memory<std::uint8_t>());
  made.download(queue, std::span(out.pixels));
  if (valid) marks.download(queue, std::span(valid->pixels));
  queue.wait();
  return out;
}

std::shared_ptr<const DeepGrey> Photograph::deep_remapped(Queue& queue,
                                                          const Remapper& remapper) const {
  if (!deep_) return {};
  return std::make_shared<const DeepGrey>(DeepGrey{remapper(queue, deep_->image), deep_->white});
}

}  // namespace bifocal::pair
