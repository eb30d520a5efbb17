# find_package(bifocal) -> bifocal::bifocal. The installed tree can be moved as a whole.
include(CMakePackageConfigHelpers)
install(TARGETS bifocal EXPORT bifocal-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/bifocal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def")
install(FILES ${PROJECT_BINARY_DIR}/include/bifocal/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bifocal)
if(BIFOCAL_APPS)
  install(TARGETS bifocal_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(NOT CMAKE_CROSSCOMPILING)  # the program prints both
    install(CODE "execute_process(COMMAND $<TARGET_FILE:bifocal_cli> man OUTPUT_FILE ${PROJECT_BINARY_DIR}/bifocal.1 COMMAND_ERROR_IS_FATAL ANY)
      execute_process(COMMAND $<TARGET_FILE:bifocal_cli> completion OUTPUT_FILE ${PROJECT_BINARY_DIR}/bifocal.bash COMMAND_ERROR_IS_FATAL ANY)")
    install(FILES ${PROJECT_BINARY_DIR}/bifocal.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${PROJECT_BINARY_DIR}/bifocal.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME bifocal)
  endif()
endif()
if(BIFOCAL_BENCH)
  install(TARGETS bifocal_bench_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(EXPORT bifocal-targets NAMESPACE bifocal:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/bifocal)
configure_package_config_file(cmake/bifocal-config.cmake.in ${PROJECT_BINARY_DIR}/bifocal-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/bifocal)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bifocal-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bifocal-config.cmake ${PROJECT_BINARY_DIR}/bifocal-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/bifocal)
install(FILES LICENSE python/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})  # this README has no links into the checkout
