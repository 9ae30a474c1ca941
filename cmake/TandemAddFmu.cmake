# tandem_add_fmu(<ModelIdentifier> SOURCES file... [FMI 1 2 3] [RESOURCES dir] [LINK library...]
#                [OUTPUT_DIRECTORY dir])
#
# One C++ model class, named <ModelIdentifier> in TANDEM_MODEL, becomes one shared library (target
# <ModelIdentifier>_model) and from it the FMUs <ModelIdentifier>_fmi1_cs.fmu, _fmi1_me.fmu,
# _fmi2.fmu and _fmi3.fmu. The target `fmus` builds them all. See docs/model_kit.md.

set(TANDEM_FMU_DIR ${CMAKE_BINARY_DIR}/fmus CACHE PATH "Where tandem_add_fmu puts the FMUs")
set(TANDEM_FMU_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/fmu_exports.map)
if(NOT TARGET fmus)
  add_custom_target(fmus ALL)
endif()

# FMI 1.0 puts the model identifier before each name.
set(TANDEM_FMI1_FUNCTIONS
    GetVersion SetDebugLogging GetReal GetInteger GetBoolean GetString SetReal SetInteger SetBoolean
    SetString GetModelTypesPlatform InstantiateModel FreeModelInstance SetTime SetContinuousStates
    CompletedIntegratorStep Initialize GetDerivatives GetEventIndicators EventUpdate
    GetContinuousStates GetNominalContinuousStates GetStateValueReferences Terminate
    GetTypesPlatform InstantiateSlave InitializeSlave TerminateSlave ResetSlave FreeSlaveInstance
    SetRealInputDerivatives GetRealOutputDerivatives DoStep CancelStep GetStatus GetRealStatus
    GetIntegerStatus GetBooleanStatus GetStringStatus)

function(tandem_add_fmu identifier)
  cmake_parse_arguments(FMU "" "RESOURCES;OUTPUT_DIRECTORY" "SOURCES;FMI;LINK" ${ARGN})
  if(NOT FMU_FMI)
    set(FMU_FMI 1 2 3)
  endif()
  if(NOT FMU_OUTPUT_DIRECTORY)
    set(FMU_OUTPUT_DIRECTORY ${TANDEM_FMU_DIR})
  endif()
  set(model ${identifier}_model)
  add_library(${model} MODULE ${FMU_SOURCES})
  set_target_properties(${model} PROPERTIES OUTPUT_NAME ${identifier} PREFIX ""
                                            CXX_VISIBILITY_PRESET hidden
                                            VISIBILITY_INLINES_HIDDEN ON
                                            LIBRARY_OUTPUT_DIRECTORY ${FMU_OUTPUT_DIRECTORY}/native)
  target_compile_features(${model} PRIVATE cxx_std_20)
  target_link_libraries(${model} PRIVATE ${FMU_LINK}
                                         $<LINK_GROUP:RESCAN,Tandem::kit,Tandem::fmi_export>)
  set(names "")
  foreach(function ${TANDEM_FMI1_FUNCTIONS})
    list(APPEND names LINKER:--defsym=${identifier}_fmi${function}=tandem_fmi1_${function})
  endforeach()
  target_link_options(
    ${model} PRIVATE LINKER:--version-script=${TANDEM_FMU_EXPORTS} LINKER:--as-needed
    LINKER:-z,defs
    LINKER:--undefined=fmi2GetVersion LINKER:--undefined=fmi3GetVersion
    LINKER:--undefined=fmi3GetFloat64 LINKER:--undefined=tandem_set_input_law
    LINKER:--undefined=tandem_fmi1_GetVersion LINKER:--undefined=tandem_model_description ${names})
  set_property(TARGET ${model} APPEND PROPERTY LINK_DEPENDS ${TANDEM_FMU_EXPORTS})

  set(fmus "")
  foreach(version ${FMU_FMI})
    if(version EQUAL 1)
      set(variants 1_cs 1_me)
    else()
      set(variants ${version})
    endif()
    foreach(variant ${variants})
      tandem_pack_fmu(${identifier} ${variant} "${FMU_RESOURCES}" ${FMU_OUTPUT_DIRECTORY})
    endforeach()
  endforeach()
  add_custom_target(${identifier}_fmus DEPENDS ${fmus})
  add_dependencies(fmus ${identifier}_fmus)
endfunction()

# Appends the file to the caller's list `fmus`.
function(tandem_pack_fmu identifier variant resources folder)
  set(fmu ${folder}/${identifier}_fmi${variant}.fmu)
  set(command $<TARGET_FILE:Tandem::pack> $<TARGET_FILE:${identifier}_model> --fmi ${variant} -o
              ${fmu})
  set(resource_files "")
  if(resources)
    get_filename_component(resources ${resources} ABSOLUTE)
    file(GLOB_RECURSE resource_files CONFIGURE_DEPENDS ${resources}/*)
    list(APPEND command --resources ${resources})
  endif()
  add_custom_command(OUTPUT ${fmu} COMMAND ${command}
                     DEPENDS ${identifier}_model Tandem::pack ${resource_files}
                     COMMENT "Packing ${identifier}_fmi${variant}.fmu" VERBATIM)
  set(fmus ${fmus} ${fmu} PARENT_SCOPE)
endfunction()
