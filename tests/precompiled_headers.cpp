// SPDX-License-Identifier: BSD-3-Clause
// Nothing but the headers that the tests share (CMakeLists.txt).
