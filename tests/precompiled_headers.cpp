// SPDX-License-Identifier: BSD-3-Clause
// The headers that the tests share (CMakeLists.txt).
