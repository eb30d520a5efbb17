// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/hash.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

namespace bifocal::runtime {

std::string hash_of(std::string_view bytes) {
  __extension__ using Wide = unsigned __int128;
  const Wide prime = (Wide{1} << 88) + 0x13b;
  Wide hash = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * prime;
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash >> 64),
                     static_cast<std::uint64_t>(hash));
}

std::string content_hash(std::string_view bytes) {
  // Four independent hashes like FNV-1a over interleaved 64-bit words, each step with an additional
  // shift; their final states and the remaining bytes are hashed byte by byte.
  constexpr std::size_t kLanes = 4, kBlock = kLanes * sizeof(std::uint64_t);
  std::uint64_t lanes[kLanes] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb,
                                 0xd6e8feb86659fd93};
  const std::size_t whole = bytes.size() / kBlock * kBlock;
  for (std::size_t at = 0; at < whole; at += kBlock) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at + k * sizeof word, sizeof word);
      lanes[k] = (lanes[k] ^ word) * 0x100000001b3;
      lanes[k] ^= lanes[k] >> 29;
    }
  }
  std::string rest(reinterpret_cast<const char*>(lanes), sizeof lanes);
  rest += bytes.substr(whole);
  return hash_of(rest + std::to_string(bytes.size()));
}

}  // namespace bifocal::runtime
