// SPDX-License-Identifier: BSD-3-Clause
//
// Absolute paths of this build. CMake writes their definitions into files of their own, so that all
// other units compile to the same object in every checkout, and a compiler cache finds them.
#pragma once

namespace bifocal::test {

extern const char* const kSourceFolder;  // of the project
extern const char* const kDataFolder;    // the CMake option BIFOCAL_TEST_DATA
extern const char* const kProgram;       // that a test runs as a process: bifocal_tested_program()

}  // namespace bifocal::test
