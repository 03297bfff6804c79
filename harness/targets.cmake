# SPDX-License-Identifier: BSD-3-Clause
# What Makefile and Justfile call. The release build drives the other ones.

set(debug ${PROJECT_SOURCE_DIR}/build/debug)

# Configures and builds another preset; one target each, so that two build at once.
function(zsanity_preset name)
	add_custom_target(preset-${name}
		COMMAND ${CMAKE_COMMAND} --preset ${name} --log-level=WARNING
			> ${CMAKE_BINARY_DIR}/preset-${name}.log
		COMMAND ${CMAKE_COMMAND} --build --preset ${name} -- --quiet
		COMMENT "building the ${name} preset" WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
endfunction()

zsanity_preset(debug)
zsanity_preset(libfuzzer)
zsanity_preset(afl)

get_property(programs DIRECTORY ${PROJECT_SOURCE_DIR}/harness PROPERTY BUILDSYSTEM_TARGETS)
foreach(folder core fuzz)
	get_property(more DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} PROPERTY BUILDSYSTEM_TARGETS)
	list(APPEND programs ${more})
endforeach()

# One run of ctest over both builds, so that they share the cores and the closing line counts all.
file(WRITE ${CMAKE_BINARY_DIR}/debug-tests.cmake
	"if(EXISTS \"${debug}/CTestTestfile.cmake\")\n\tsubdirs(\"${debug}\")\nendif()\n")
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_BINARY_DIR}/debug-tests.cmake)
foreach(check format tidy targets lines spdx readme header package)
	zsanity_test(check.${check} .ci/check ${check})
endforeach()
zsanity_test(prove_test proofs/prove_test.py)

add_custom_target(check
	COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${CMAKE_BINARY_DIR} --parallel 2 --output-on-failure
	COMMENT "" WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} USES_TERMINAL VERBATIM)
add_dependencies(check ${programs} preset-debug)

add_custom_target(fuzzers)
add_dependencies(fuzzers zsanity preset-libfuzzer preset-afl)
