// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace bifocal::runtime {

// Returns the 128-bit FNV-1a hash (G. Fowler, L. Noll, K.-P. Vo) as 32 hexadecimal digits.
[[nodiscard]] std::string hash_of(std::string_view bytes);

// Returns 32 hexadecimal digits that distinguish files of any size, at the speed of memory. Not
// secure against texts constructed to collide.
[[nodiscard]] std::string content_hash(std::string_view bytes);

}  // namespace bifocal::runtime
