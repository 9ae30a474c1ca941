# cmake --install: the programs tandem and tandem-pack, and the model kit: its library, headers, and
# the CMake package Tandem with Tandem::kit and tandem_add_fmu (docs/model_kit.md); and the library
# Tandem::tandem to run systems (docs/cpp_api.md).
include(CMakePackageConfigHelpers)

set_target_properties(tandem PROPERTIES EXPORT_NAME cli)
set_target_properties(tandem-pack PROPERTIES EXPORT_NAME pack)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tandem)
install(TARGETS tandem tandem-pack tandem_api tandem_extend tandem_kit tandem_fmi_export tandem_ode tandem_core tandem_numerics
                tandem_process tandem_base
        EXPORT TandemTargets
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/tandem DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN *.in EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/include/tandem/version.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tandem)
install(EXPORT TandemTargets NAMESPACE Tandem:: DESTINATION ${package_folder})
configure_package_config_file(cmake/TandemConfig.cmake.in TandemConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(TandemConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/TandemConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/TandemConfigVersion.cmake cmake/TandemAddFmu.cmake
              cmake/fmu_exports.map
        DESTINATION ${package_folder})
