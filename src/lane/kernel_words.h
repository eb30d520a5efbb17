// SPDX-License-Identifier: BSD-3-Clause
// Declares the body of a kernel from the list of its arguments (src/MODULE/NAME.kernels), in C++,
// CUDA and OpenCL C:
//
//   #define SCALE(IN, OUT, VALUE, LOCAL, DYNAMIC, READ, STRUCT)
//     IN(float, x) VALUE(float, k) OUT(float, y)
//   map_kernel(scale, i, SCALE) { y[i] = k * x[i]; }
//
// A list is called with expansions for its seven kinds of arguments, and every expansion begins
// with a comma. A list names all kinds, because OpenCL C 1.2 has no variadic macros.
//   IN(type, name)           array that is read
//   OUT(type, name)          array that is written, or read and written
//   VALUE(type, name)        a number
//   LOCAL(type, name, SIZE)  array of constant SIZE that the group shares
//   DYNAMIC(type, name)      shared array whose size in bytes the launch defines; last of its list
//   READ(type, name)         IN that is not written while the kernel runs: a GPU may cache it
//   STRUCT(type, name, LIST(IN, OUT, VALUE, LOCAL, DYNAMIC, READ, STRUCT))
//                            the arguments of another list, which a launch passes as one struct
//                            (runtime/kernel_set.hpp); a body uses them by their own names
// A type is one word: int, float, double, real, scalar, offset, bits8, bits16, bits32, or a type of
// the source itself, called kernel_NAME in C++.
#define KERNEL_IN_(type, name) , global_const type* name
#define KERNEL_OUT_(type, name) , global_ptr type* name
#define KERNEL_VALUE_(type, name) , type name
#define KERNEL_LOCAL_(type, name, size) , local_only_ type* name
#define KERNEL_DYNAMIC_(type, name) , local_only_ type* name
#define KERNEL_READ_(type, name) , global_const type* lane_restrict_ name
#define KERNEL_STRUCT_(type, name, members) members
#define KERNEL_PARAMETERS(LIST)                                                              \
  LIST(KERNEL_IN_, KERNEL_OUT_, KERNEL_VALUE_, KERNEL_LOCAL_, KERNEL_DYNAMIC_, KERNEL_READ_, \
       KERNEL_STRUCT_)

// Parameters and arguments of functions to which a body passes its own arguments, after the first.
#define KERNEL_NAME_(type, name) , name
#define KERNEL_SIZED_NAME_(type, name, size) , name
#define KERNEL_ARGUMENTS(LIST)                                                                   \
  LIST(KERNEL_NAME_, KERNEL_NAME_, KERNEL_NAME_, KERNEL_SIZED_NAME_, KERNEL_NAME_, KERNEL_NAME_, \
       KERNEL_STRUCT_)

// One thread per item.
#define map_kernel(name, item, LIST) group_fn void name##_body(index item KERNEL_PARAMETERS(LIST))
// One group (a CUDA block, an OpenCL work-group) per instance.
#define group_kernel(name, group, LIST) \
  group_fn void name##_body(GROUP_PARAM index group KERNEL_PARAMETERS(LIST))
// Called by every thread of the launch with its index, the number of threads, and the count of the
// launch. The body distributes the work itself.
#define thread_kernel(name, thread, threads, count, LIST)              \
  group_fn void name##_body(GROUP_PARAM bits32 thread, bits32 threads, \
                            index count KERNEL_PARAMETERS(LIST))
