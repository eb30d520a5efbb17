// SPDX-License-Identifier: BSD-3-Clause
// Defines the class `launch` for the kernels KERNELS of the catalogue CATALOGUE. The including
// header defines both macros (cmake/BifocalKernels.cmake). It has no include guard, because each
// catalogue needs its own class.
template <class Real>
class launch : public ::bifocal::runtime::KernelSet {
  using Kind = ::bifocal::runtime::KernelKind;
  using Launch = ::bifocal::runtime::Launch;

 public:
  // group_size: default number of threads in a block or work-group, and GROUP_SIZE in OpenCL.
  // REAL_IS_FLOAT is added to the constants.
  explicit launch(int group_size, ::bifocal::runtime::Constants constants = {})
      : KernelSet(CATALOGUE, sizeof(Real) == 4, group_size, constants) {}

#define LAUNCH_(kind, entry, LIST)                                               \
  struct entry##_args {                                                          \
    KERNEL_MEMBERS_(LIST)                                                        \
  };                                                                             \
  void entry(Queue& queue, const Launch& size, const entry##_args& args) const { \
    ::bifocal::runtime::ArgumentList arguments;                                  \
    arguments.push_back(size.count);                                             \
    args.append(arguments);                                                      \
    start(queue, kind, *entry##_, size, arguments);                              \
  }                                                                              \
                                                                                 \
 private:                                                                        \
  const ::bifocal::runtime::Kernel* entry##_ = find(kind, #entry, #LIST);        \
                                                                                 \
 public:
#define LAUNCH_MAP_(entry, LIST, ...) LAUNCH_(Kind::map, entry, LIST)
#define LAUNCH_GROUP_(entry, LIST, ...) LAUNCH_(Kind::group, entry, LIST)
#define LAUNCH_THREAD_(entry, LIST, ...) LAUNCH_(Kind::thread, entry, LIST)
  KERNELS(LAUNCH_MAP_, LAUNCH_GROUP_, LAUNCH_THREAD_)
#undef LAUNCH_
#undef LAUNCH_MAP_
#undef LAUNCH_GROUP_
#undef LAUNCH_THREAD_
};
#undef KERNELS
#undef CATALOGUE
