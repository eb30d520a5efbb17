// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if !(__cplusplus >= 202002L || (defined(_MSVC_LANG) && _MSVC_LANG >= 202002L))
#error "Bifocal's headers need C++20: compile with -std=c++20, or set CMAKE_CXX_STANDARD to 20"
#endif
