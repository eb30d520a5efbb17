// SPDX-License-Identifier: BSD-3-Clause
// Closes what lane/cpp_begin.h opened: no macro outlives the class.
#undef lane_fn
#undef group_fn
#undef global_const
#undef global_ptr
#undef GROUP_PARAM
#undef GROUP_ARG
#undef group_for
