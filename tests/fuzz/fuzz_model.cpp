// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bifocal::fuzz::model({reinterpret_cast<const char*>(data), size});
  return 0;
}
