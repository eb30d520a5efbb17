// SPDX-License-Identifier: BSD-3-Clause
// The class `launch` of the kernels KERNELS of the catalogue CATALOGUE, which the header that
// includes this defines (cmake/BifocalKernels.cmake). No include guard: one class a catalogue.
template <class Real>
class launch : public ::bifocal::runtime::KernelSet {
  template <class T>
  using Array = ::bifocal::runtime::Array<T>;
  using Kind = ::bifocal::runtime::KernelKind;

 public:
  using kernel_int = int;
  using kernel_float = float;
  using kernel_double = double;
  using kernel_real = Real;
  using kernel_scalar = Real;
  using kernel_offset = std::int64_t;
  using kernel_bits8 = std::uint8_t;
  using kernel_bits16 = std::uint16_t;
  using kernel_bits32 = std::uint32_t;

  // group_size: threads of a block or work-group where a launch does not say; GROUP_SIZE of the
  // OpenCL text. REAL_IS_FLOAT is added to the constants.
  explicit launch(int group_size, ::bifocal::runtime::Constants constants = {})
      : KernelSet(CATALOGUE, sizeof(Real) == 4, group_size, constants) {}

#define LAUNCH_IN_(type, name) , const Array<const kernel_##type>& name
#define LAUNCH_OUT_(type, name) , const Array<kernel_##type>& name
#define LAUNCH_VALUE_(type, name) , kernel_##type name
#define LAUNCH_LOCAL_(type, name, size)
#define LAUNCH_DYNAMIC_(type, name)
#define LAUNCH_NAME_(type, name) , ::bifocal::runtime::kernel_argument(name)
#define LAUNCH_(kind, entry, LIST)                                                    \
  void entry(Queue& queue, const ::bifocal::runtime::Launch& how LIST(                \
                               LAUNCH_IN_, LAUNCH_OUT_, LAUNCH_VALUE_, LAUNCH_LOCAL_, \
                               LAUNCH_DYNAMIC_, LAUNCH_IN_)) const {                  \
    start(queue, kind, *entry##_, how,                                                \
          std::initializer_list<::bifocal::runtime::Argument>{                        \
              how.count LIST(LAUNCH_NAME_, LAUNCH_NAME_, LAUNCH_NAME_, LAUNCH_LOCAL_, \
                             LAUNCH_DYNAMIC_, LAUNCH_NAME_)});                        \
  }                                                                                   \
                                                                                      \
 private:                                                                             \
  const ::bifocal::runtime::Kernel* entry##_ = find(kind, #entry, #LIST);             \
                                                                                      \
 public:
#define LAUNCH_MAP_(entry, LIST, ...) LAUNCH_(Kind::map, entry, LIST)
#define LAUNCH_GROUP_(entry, LIST, ...) LAUNCH_(Kind::group, entry, LIST)
#define LAUNCH_THREAD_(entry, LIST, ...) LAUNCH_(Kind::thread, entry, LIST)
  KERNELS(LAUNCH_MAP_, LAUNCH_GROUP_, LAUNCH_THREAD_)
#undef LAUNCH_IN_
#undef LAUNCH_OUT_
#undef LAUNCH_VALUE_
#undef LAUNCH_LOCAL_
#undef LAUNCH_DYNAMIC_
#undef LAUNCH_NAME_
#undef LAUNCH_
#undef LAUNCH_MAP_
#undef LAUNCH_GROUP_
#undef LAUNCH_THREAD_
};
#undef KERNELS
#undef CATALOGUE
