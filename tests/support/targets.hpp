// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hwy/targets.h>

#include <string>

namespace bifocal::test {

// Runs `body(name)` once for every SIMD target this machine has and this build was compiled for.
template <class Body>
void for_each_target(Body body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    body(std::string(hwy::TargetName(target)));
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace bifocal::test
