# Installs Tandem into a new folder, builds a project that only knows the package, and runs its FMU.
# Needs BUILD (the build folder), CONSUMER (the project), WORK (a folder for everything made here).
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${out}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G Ninja
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/stepper ${WORK}/build/fmus/Pendulum_fmi2.fmu)
foreach(fmu fmi1_cs fmi1_me fmi2 fmi3)
  run(${WORK}/prefix/bin/tandem check ${WORK}/build/fmus/Pendulum_${fmu}.fmu)
  run(${WORK}/prefix/bin/tandem run ${WORK}/build/fmus/Pendulum_${fmu}.fmu --output
      ${WORK}/${fmu}.csv)
  file(STRINGS ${WORK}/${fmu}.csv rows)
  list(LENGTH rows count)
  if(count LESS 100)
    message(FATAL_ERROR "${fmu}.csv has only ${count} lines")
  endif()
endforeach()

# A plug-in that was built from the installed headers alone.
file(WRITE ${WORK}/plugin.toml "plugins = [\"build/libmine.so\"]
[coupling]
method = \"damped_jacobi\"
[experiment]
stop = 1
step = 0.01
[subsystems.W]
type = \"wave\"
options = { amplitude = 0.1 }
[subsystems.P]
source = \"build/fmus/Pendulum_fmi2.fmu\"
")
run(${WORK}/prefix/bin/tandem run ${WORK}/plugin.toml --output ${WORK}/plugin.csv)
