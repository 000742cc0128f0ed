# tcEmulated.cmake - tests of kernels on machines without a GPU.
#
#     if(TC_TCEMU)
#       tc_add_emulated_test(NAME layer_on_hopper TARGET layer DEVICE sm_90a ARGS 128 256)
#     endif()
#
# adds a test to CTest that runs TARGET under tcemu as DEVICE (default sm_90a), and fails where the program fails or
# tcemu has a mistake to report. TARGET needs PTX for the device, as CUDA_ARCHITECTURES "90a" gives it, and the shared
# CUDA runtime, which the call sets. TC_TCEMU is the path of tcemu, looked for beside an installed tc, in the build
# directory of its sources (make emu) and in PATH.
find_program(TC_TCEMU tcemu HINTS "${tc_tcemu_hint}" DOC "tcemu, which runs CUDA programs without a GPU")
unset(tc_tcemu_hint)

function(tc_add_emulated_test)
  cmake_parse_arguments(test "" "NAME;TARGET;DEVICE" "ARGS" ${ARGN})
  if(NOT test_NAME OR NOT test_TARGET OR test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
            "tc_add_emulated_test takes NAME test TARGET program [DEVICE sm_90a] [ARGS ...]; it was given: ${ARGN}")
  endif()
  if(NOT TC_TCEMU)
    message(FATAL_ERROR
            "tc_add_emulated_test(NAME ${test_NAME}): there is no tcemu; make emu builds it, -DTC_TCEMU=PATH names it")
  endif()
  if(NOT test_DEVICE)
    set(test_DEVICE sm_90a)
  endif()
  set_target_properties(${test_TARGET} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  add_test(NAME ${test_NAME} COMMAND "${TC_TCEMU}" --device ${test_DEVICE} $<TARGET_FILE:${test_TARGET}> ${test_ARGS})
endfunction()
