# Builds the static program for arm64 on another machine, with Debian's cross compiler. The libraries are Debian's too,
# unpacked beside the sources by `./dev install arm64`: nothing of them is installed on the machine.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

get_filename_component(stator_sysroot ${CMAKE_CURRENT_LIST_DIR}/../../build/sources/arm64 ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${stator_sysroot})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${stator_sysroot})
set(ENV{PKG_CONFIG_LIBDIR} ${stator_sysroot}/usr/lib/aarch64-linux-gnu/pkgconfig:${stator_sysroot}/usr/share/pkgconfig)

# What has no description of its own for CMake is found here, as it is in /usr/include otherwise. It holds no header of libc.
set(CMAKE_CXX_FLAGS_INIT
  "-isystem ${stator_sysroot}/usr/include -isystem ${stator_sysroot}/usr/include/aarch64-linux-gnu")
