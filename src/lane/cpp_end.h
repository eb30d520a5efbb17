// SPDX-License-Identifier: BSD-3-Clause
// Closes what lane/cpp_begin.h opened: no macro outlives the class.
#undef lane_fn
#undef group_fn
#undef global_const
#undef global_ptr
#undef GROUP_PARAM
#undef GROUP_ARG
#undef group_for
#undef group_for_range
#undef local_ptr
#undef lane_array
#undef kept_array
#undef lane_at
#undef kept_at
#undef kept_put
#undef lane_unroll
#undef uniform_fn
#undef if_constant
#undef LANE_STRIDE
#undef LANE_GROUP_WIDTH
