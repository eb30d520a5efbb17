// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>

#include <bifocal/error.hpp>

namespace bifocal::test {

// Expects that the body throws Error with this code and with `part` in its message.
template <class Body>
void expect_error(const Body& body, const std::string& part, ErrorCode code = ErrorCode::input) {
  try {
    body();
    ADD_FAILURE() << "no error; expected one with \"" << part << '"';
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace bifocal::test
