// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <bifocal/error.hpp>

namespace bifocal {

// An Error(input) whose cause may pass: a full disk, a file that another process holds, no memory.
class TryAgain : public Error {
 public:
  explicit TryAgain(const std::string& message) : Error(ErrorCode::input, message) {}
};

}  // namespace bifocal
