// SPDX-License-Identifier: BSD-3-Clause
// The OpenCL function of a kernel whose body lane/kernel_words.h declared. The runtime appends one
// such line to the source, so that a program contains one kernel.
#define KERNEL_NO_PARAMETER_(type, name, size)
#define KERNEL_NO_LOCAL_(type, name)
#define KERNEL_LOCAL_MEMORY_(type, name, size) local_only_ type name[size];
#define OPENCL_PARAMETERS_(LIST)                                                      \
  LIST(KERNEL_IN_, KERNEL_OUT_, KERNEL_VALUE_, KERNEL_NO_PARAMETER_, KERNEL_DYNAMIC_, \
       KERNEL_READ_, KERNEL_STRUCT_)
#define OPENCL_LOCAL_MEMORY_(LIST)                                                 \
  LIST(KERNEL_NO_LOCAL_, KERNEL_NO_LOCAL_, KERNEL_NO_LOCAL_, KERNEL_LOCAL_MEMORY_, \
       KERNEL_NO_LOCAL_, KERNEL_NO_LOCAL_, KERNEL_STRUCT_)
// Kernels that are only launched with GROUP_SIZE work-items get the constant KERNEL_SIZE_IS_FIXED.
#ifdef KERNEL_SIZE_IS_FIXED
#define OPENCL_KERNEL_ kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
#else
#define OPENCL_KERNEL_ kernel
#endif

#define OPENCL_MAP(name, LIST)                                     \
  OPENCL_KERNEL_ void name(int count_ OPENCL_PARAMETERS_(LIST)) {  \
    int item_ = (int)get_global_id(0);                             \
    if (item_ < count_) name##_body(item_ KERNEL_ARGUMENTS(LIST)); \
  }
#define OPENCL_GROUP(name, LIST)                                        \
  OPENCL_KERNEL_ void name(int count_ OPENCL_PARAMETERS_(LIST)) {       \
    local_only_ scalar group_scratch[GROUP_SCRATCH_];                   \
    OPENCL_LOCAL_MEMORY_(LIST)                                          \
    name##_body(GROUP_ARG(int) get_group_id(0) KERNEL_ARGUMENTS(LIST)); \
  }
#define OPENCL_THREAD(name, LIST)                                               \
  OPENCL_KERNEL_ void name(int count_ OPENCL_PARAMETERS_(LIST)) {               \
    local_only_ scalar group_scratch[GROUP_SCRATCH_];                           \
    OPENCL_LOCAL_MEMORY_(LIST)                                                  \
    name##_body(GROUP_ARG(bits32) get_global_id(0), (bits32)get_global_size(0), \
                count_ KERNEL_ARGUMENTS(LIST));                                 \
  }
