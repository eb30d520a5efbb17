# Language level, warnings, floating-point model and sanitizers, for every target of this project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
find_program(BIFOCAL_CCACHE ccache)
if(BIFOCAL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the sources, so that checkouts in different folders share the cache.
  set(launcher env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR})
  if(CMAKE_BUILD_TYPE STREQUAL "Release")  # no debug information, which names the folder of the build
    list(APPEND launcher CCACHE_NOHASHDIR=1)
  endif()
  if(NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher} ${BIFOCAL_CCACHE})
  endif()
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # ccache keeps units with a precompiled header only if it is told that no unit uses __TIME__ or defines macros that the header reads.
    list(APPEND launcher CCACHE_SLOPPINESS=pch_defines,time_macros)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher} ${BIFOCAL_CCACHE})
endif()
# The install tree is relocatable: programs find the library in their own tree.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

add_library(bifocal_flags INTERFACE)
# Products and sums contract to fused multiply-adds, on which the speed of solvers and scoring depends; no code here compares two separately compiled
# copies of one expression for equality. No code reads errno or floating-point traps. nvcc contracts by default; its host compiler does not know the
# pragmas for the device.
set(cxx_flags -Wall -Wextra -Wshadow -ffp-contract=fast -fno-math-errno -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # The masks of one lane are bools; enumerators of a source that is included twice do not shadow each other.
  list(APPEND cxx_flags -Wno-bitwise-instead-of-logical -Wno-shadow)
endif()
set(cuda_flags -Xcompiler=-Wall,-Wextra,-Wno-unknown-pragmas,-Wno-psabi)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports false positives inside inlined code of Highway, libstdc++ and its own AVX-512 header.
  list(APPEND cxx_flags -Wno-maybe-uninitialized -Wno-uninitialized -Wno-psabi)
endif()
if(BIFOCAL_WERROR)
  list(APPEND cxx_flags -Werror)
  list(APPEND cuda_flags -Werror=all-warnings)
endif()
target_compile_options(bifocal_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${cxx_flags}>"
                       "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_flags}>")
if(BIFOCAL_SANITIZE)
  # Keeps the -O3 of the build type, because the SIMD code is unusably slow otherwise.
  target_compile_options(bifocal_flags INTERFACE -fsanitize=${BIFOCAL_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(bifocal_flags INTERFACE -fsanitize=${BIFOCAL_SANITIZE})
endif()
# Highway targets to compile. all: AVX-512, AVX2, SSE4 and the portable target, chosen at run time (SSSE3 adds build time, and no processor of the
# last 15 years needs it). few: the targets that the tests on this machine run, without SSE4, and without AVX-512 if the processor lacks it. native:
# the target of this machine's processor, for short builds.
set(BIFOCAL_SIMD all CACHE STRING "SIMD targets: all, few (for tests on this machine), or native for this machine's processor alone")
set_property(CACHE BIFOCAL_SIMD PROPERTY STRINGS all few native)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  # NEON with AES instructions, as Highway 1.0 defines it, for every value of BIFOCAL_SIMD; a Raspberry Pi 4 lacks these instructions. Arrays can't
  # hold SVE registers, which have no size at compile time; -march=native would select SVE on many servers.
  target_compile_options(bifocal_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=armv8-a+crypto>)
  target_compile_definitions(bifocal_flags INTERFACE HWY_COMPILE_ONLY_STATIC)
elseif(BIFOCAL_SIMD STREQUAL "native")
  target_compile_options(bifocal_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
  target_compile_definitions(bifocal_flags INTERFACE HWY_COMPILE_ONLY_STATIC)
elseif(BIFOCAL_SIMD STREQUAL "all")
  target_compile_definitions(bifocal_flags INTERFACE HWY_DISABLED_TARGETS=HWY_SSSE3)
elseif(BIFOCAL_SIMD STREQUAL "few")
  set(disabled_targets "HWY_SSSE3|HWY_SSE4")
  set(processor_flags "")
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo processor_flags REGEX "^flags.* avx512bw" LIMIT_COUNT 1)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT processor_flags)
    string(APPEND disabled_targets "|HWY_AVX3|HWY_AVX3_DL")
  endif()
  target_compile_definitions(bifocal_flags INTERFACE "HWY_DISABLED_TARGETS=(${disabled_targets})")
else()
  message(FATAL_ERROR "BIFOCAL_SIMD is '${BIFOCAL_SIMD}'; it is all, few or native")
endif()
# Sizes compiled into CUDA kernels. few leaves out most sizes; a call that needs a missing size reports it.
if(BIFOCAL_CUDA_VARIANTS STREQUAL "few")
  target_compile_definitions(bifocal_flags INTERFACE BIFOCAL_FEW_CUDA_VARIANTS)
elseif(NOT BIFOCAL_CUDA_VARIANTS STREQUAL "all")
  message(FATAL_ERROR "BIFOCAL_CUDA_VARIANTS is '${BIFOCAL_CUDA_VARIANTS}'; it is all or few")
endif()
