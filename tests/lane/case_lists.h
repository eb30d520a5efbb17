// SPDX-License-Identifier: BSD-3-Clause
// All lane and group files, in order, and the cases that call them. Included into a class body
// (C++, CUDA) or put behind lane/opencl_begin.h (OpenCL). The problem is the essential matrix.
#include "math/math.lanes"
#include "linalg/linalg.lanes"
#include "solvers/solvers.lanes"
#include "robust/search/shared.lanes"
#include "robust/problems/epipolar.lane.h"
#include "robust/problems/relative_pose.lane.h"
#include "robust/problems/essential.lane.h"
#include "robust/problems/defaults.lane.h"
#include "robust/search/search.groups"
#include "stereo/stereo.lanes"
#include "rectify/lens.lane.h"
#include "lane/cases.lane.h"
#include "lane/cases.group.h"
