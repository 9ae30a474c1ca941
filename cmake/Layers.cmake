# Warnings are errors in everything that is ours.
add_library(tandem_warnings INTERFACE)
# -Wrestrict of g++ 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
target_compile_options(tandem_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion -Werror
                                                 -Wno-restrict)

# tandem_layer(name [SOURCES file...] [LINK library...]): the static library tandem_<name> from the
# sources given or, without any, from every .cpp below src/<name>.
function(tandem_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;LINK" ${ARGN})
  if(NOT LAYER_SOURCES)
    file(GLOB_RECURSE LAYER_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  endif()
  add_library(tandem_${name} STATIC ${LAYER_SOURCES})
  add_library(Tandem::${name} ALIAS tandem_${name})
  target_include_directories(
    tandem_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                          $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                          $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(tandem_${name} PUBLIC cxx_std_20)
  target_link_libraries(tandem_${name} PUBLIC ${LAYER_LINK}
                        PRIVATE $<BUILD_INTERFACE:tandem_warnings>)
  set_target_properties(tandem_${name} PROPERTIES EXPORT_NAME ${name})
  # With optimisation g++ 12 warns of strings that precompiled headers copy (like GCC bug 105651).
  if(TANDEM_PRECOMPILED_HEADERS AND TANDEM_SANITIZE)
    target_precompile_headers(tandem_${name} PRIVATE <algorithm> <cmath> <functional> <map>
                              <memory> <optional> <span> <string> <vector> <fmt/format.h>)
  endif()
endfunction()

# tandem_offers_functions(target): all functions of the public headers are in `target`, for plug-ins,
# whether it uses them itself or not.
function(tandem_offers_functions target)
  set(files "")
  foreach(layer base numerics core coupling stepsize)
    list(APPEND files $<TARGET_FILE:tandem_${layer}>)
    add_dependencies(${target} tandem_${layer})
  endforeach()
  list(JOIN files "," files)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:-Wl,--whole-archive,${files},--no-whole-archive>)
endfunction()
