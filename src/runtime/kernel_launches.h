// SPDX-License-Identifier: BSD-3-Clause
// The class `launch` of the kernels KERNELS of the catalogue CATALOGUE, which the header that
// includes this defines (cmake/BifocalKernels.cmake). No include guard: one class a catalogue.
// KERNELS_POSITIONAL: a launch may also pass its arguments one after the other.
template <class Real>
class launch : public ::bifocal::runtime::KernelSet {
  using Kind = ::bifocal::runtime::KernelKind;
  using Launch = ::bifocal::runtime::Launch;

 public:
  // group_size: threads of a block or work-group where a launch does not say; GROUP_SIZE of the
  // OpenCL text. REAL_IS_FLOAT is added to the constants.
  explicit launch(int group_size, ::bifocal::runtime::Constants constants = {})
      : KernelSet(CATALOGUE, sizeof(Real) == 4, group_size, constants) {}

#ifdef KERNELS_POSITIONAL
#define LAUNCH_IN_(type, name) , const ::bifocal::runtime::Array<const KERNEL_TYPE_(type)>& name
#define LAUNCH_OUT_(type, name) , const ::bifocal::runtime::Array<KERNEL_TYPE_(type)>& name
#define LAUNCH_VALUE_(type, name) , KERNEL_TYPE_(type) name
#define LAUNCH_RECORD_(type, name, members) , const type<Real>& name
#define LAUNCH_NAME_(type, name) .name = name,
#define LAUNCH_NAME_RECORD_(type, name, members) .name = name,
#define LAUNCH_POSITIONAL_(entry, LIST)                                                            \
  void entry(Queue& queue,                                                                         \
             const Launch& how LIST(LAUNCH_IN_, LAUNCH_OUT_, LAUNCH_VALUE_, KERNEL_NOTHING_SIZED_, \
                                    KERNEL_NOTHING_, LAUNCH_IN_, LAUNCH_RECORD_)) const {          \
    entry(queue, how,                                                                              \
          entry##_args{LIST(LAUNCH_NAME_, LAUNCH_NAME_, LAUNCH_NAME_, KERNEL_NOTHING_SIZED_,       \
                            KERNEL_NOTHING_, LAUNCH_NAME_, LAUNCH_NAME_RECORD_)});                 \
  }
#else
#define LAUNCH_POSITIONAL_(entry, LIST)
#endif
#define LAUNCH_(kind, entry, LIST)                                              \
  struct entry##_args {                                                         \
    KERNEL_STRUCT_(LIST)                                                        \
  };                                                                            \
  void entry(Queue& queue, const Launch& how, const entry##_args& args) const { \
    std::vector<::bifocal::runtime::Argument> arguments{how.count};             \
    args.append(arguments);                                                     \
    start(queue, kind, *entry##_, how, arguments);                              \
  }                                                                             \
  LAUNCH_POSITIONAL_(entry, LIST)                                               \
                                                                                \
 private:                                                                       \
  const ::bifocal::runtime::Kernel* entry##_ = find(kind, #entry, #LIST);       \
                                                                                \
 public:
#define LAUNCH_MAP_(entry, LIST, ...) LAUNCH_(Kind::map, entry, LIST)
#define LAUNCH_GROUP_(entry, LIST, ...) LAUNCH_(Kind::group, entry, LIST)
#define LAUNCH_THREAD_(entry, LIST, ...) LAUNCH_(Kind::thread, entry, LIST)
  KERNELS(LAUNCH_MAP_, LAUNCH_GROUP_, LAUNCH_THREAD_)
#undef LAUNCH_IN_
#undef LAUNCH_OUT_
#undef LAUNCH_VALUE_
#undef LAUNCH_RECORD_
#undef LAUNCH_NAME_
#undef LAUNCH_NAME_RECORD_
#undef LAUNCH_POSITIONAL_
#undef LAUNCH_
#undef LAUNCH_MAP_
#undef LAUNCH_GROUP_
#undef LAUNCH_THREAD_
};
#undef KERNELS
#undef CATALOGUE
#undef KERNELS_POSITIONAL
