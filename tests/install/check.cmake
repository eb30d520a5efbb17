function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGV}: ${result}\n${out}")
  endif()
  message("${out}")
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/moved)
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/moved
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_BUILD_TYPE=${BUILD_TYPE})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
# The C interface by pkg-config: without arguments the program reports its usage and the code 2.
file(GLOB_RECURSE file ${WORK}/moved/bifocal_c.pc)
if(file AND NOT FLAGS)
  cmake_path(GET file PARENT_PATH folder)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} LD_LIBRARY_PATH=${folder}/.. sh -e -c "
    test $(pkg-config --modversion bifocal_c) = ${VERSION}
    ${COMPILER} -x c -std=c99 ${EXAMPLE} $(pkg-config --cflags bifocal_c) -x none $(pkg-config --libs bifocal_c) -o ${WORK}/program
    code=0
    ${WORK}/program || code=$?
    test $code = 2")
endif()
if(EXISTS ${WORK}/moved/bin/bifocal)
  run(${WORK}/moved/bin/bifocal --version)
endif()
