// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

int main(int argc, char** argv) {
  return bifocal::cli::run_program(argc, argv, {}, bifocal::jobs::StageTimes::of_process());
}
