// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace bifocal::runtime {

// Returns FNV-1a of 128 bits (G. Fowler, L. Noll, K.-P. Vo), as 32 hexadecimal digits.
[[nodiscard]] std::string hash_of(std::string_view bytes);

// Returns 32 hexadecimal digits that tell files of any size apart, at the speed of memory; not for
// texts that somebody chose to be taken for each other.
[[nodiscard]] std::string content_hash(std::string_view bytes);

}  // namespace bifocal::runtime
