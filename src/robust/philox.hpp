// SPDX-License-Identifier: BSD-3-Clause
// Philox4x32-10, a counter-based random generator: the numbers are a function of key and counter,
// so any trial can be drawn at any time on any device.
//   J. Salmon, M. Moraes, R. Dror, D. Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011.
#pragma once

#include <array>
#include <cstdint>

namespace bifocal::robust {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

[[nodiscard]] constexpr PhiloxCounter philox(PhiloxCounter c, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * c[0],
                        b = std::uint64_t{0xCD9E8D57u} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return c;
}

// The numbers of one trial of one pair, in order: counter (block, purpose, trial, pair), key =
// seed.
class TrialRandom {
 public:
  enum class Purpose : std::uint32_t { sample, order };

  TrialRandom(std::uint64_t seed, std::uint32_t pair, std::uint32_t trial,
              Purpose purpose = Purpose::sample)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        counter_{0, static_cast<std::uint32_t>(purpose), trial, pair} {}

  std::uint32_t next() {
    if (used_ == 4) {
      numbers_ = philox(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return numbers_[used_++];
  }
  // Uniform in [0, n) without bias.
  //   D. Lemire, Fast random integer generation in an interval, ACM TOMACS 29(1), 2019.
  std::uint32_t below(std::uint32_t n) {
    std::uint64_t product = std::uint64_t{next()} * n;
    if (static_cast<std::uint32_t>(product) < n) {
      const std::uint32_t unfair = (0u - n) % n;
      while (static_cast<std::uint32_t>(product) < unfair) product = std::uint64_t{next()} * n;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }
  // `count` <= n different numbers in [0, n): every subset is equally likely.
  void distinct(int n, int count, int* out) {
    for (int k = 0; k < count;) {
      out[k] = static_cast<int>(below(static_cast<std::uint32_t>(n)));
      bool fresh = true;
      for (int i = 0; i < k; ++i) fresh = fresh && out[i] != out[k];
      k += fresh;
    }
  }

 private:
  PhiloxKey key_;
  PhiloxCounter counter_, numbers_{};
  unsigned used_ = 4;
};

}  // namespace bifocal::robust
