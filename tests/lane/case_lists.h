// SPDX-License-Identifier: BSD-3-Clause
// All lane and group files, in order, and the cases that call them. Included into a class body
// (C++, CUDA) or put behind lane/opencl_begin.h (OpenCL). The constant PROBLEM is 2: essential
// matrices, whose text has all that is in the others'.
#include "math/math.lanes"
#include "linalg/linalg.lanes"
#include "solvers/solvers.lanes"
#include "robust/robust.groups"
#include "robust/engine.groups"
#include "stereo/disparity.lane.h"
#include "rectify/lens.lane.h"
#include "lane/cases.lane.h"
#include "lane/cases.group.h"
