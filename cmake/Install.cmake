# cmake --install: the programs, the library, its public headers, and the package Tandem with
#   Tandem::tandem   everything
#   Tandem::kit      what a model needs
#   tandem_add_fmu   see docs/model_kit.md
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY TANDEM_LAYERS)
add_library(tandem_all INTERFACE)
target_link_libraries(tandem_all INTERFACE ${layers})
set_target_properties(tandem_all PROPERTIES EXPORT_NAME tandem)
set_target_properties(tandem PROPERTIES EXPORT_NAME cli)
set_target_properties(tandem-pack PROPERTIES EXPORT_NAME pack)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tandem)
install(TARGETS tandem tandem-pack tandem_all ${layers} EXPORT TandemTargets
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/tandem DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT TandemTargets NAMESPACE Tandem:: DESTINATION ${package_folder})
configure_package_config_file(cmake/TandemConfig.cmake.in TandemConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(TandemConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/TandemConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/TandemConfigVersion.cmake cmake/TandemAddFmu.cmake
              cmake/fmu_exports.map
        DESTINATION ${package_folder})
