// SPDX-License-Identifier: BSD-3-Clause
// Included before each of CudaSift's files. CudaSift prints a line per call, which would be timed,
// and names a property of devices that CUDA 13 no longer has.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <iostream>

#define printf(...) ((void)0)
#define memoryClockRate memoryBusWidth
