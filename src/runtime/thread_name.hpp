// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pthread.h>

namespace bifocal::runtime {

// Sets the calling thread's name in debuggers and /proc, at most 15 characters.
inline void name_thread([[maybe_unused]] const char* name) {
#ifdef __linux__
  pthread_setname_np(pthread_self(), name);
#endif
}

}  // namespace bifocal::runtime
