# tandem_add_fmu: see docs/model_kit.md
set(TANDEM_FMU_DIR ${CMAKE_BINARY_DIR}/fmus)
add_custom_target(fmus ALL)
