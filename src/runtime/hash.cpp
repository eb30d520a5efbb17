// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/hash.hpp"

#include <fmt/format.h>

namespace bifocal::runtime {

std::string hash_of(std::string_view bytes) {
  __extension__ using Wide = unsigned __int128;
  const Wide prime = (Wide{1} << 88) + 0x13b;
  Wide hash = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * prime;
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash >> 64),
                     static_cast<std::uint64_t>(hash));
}

}  // namespace bifocal::runtime
