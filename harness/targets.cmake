# SPDX-License-Identifier: BSD-3-Clause
# What Makefile and Justfile call. The release build drives the other ones.

# Configures and builds another preset; one target each, so that two build at once.
function(zsanity_preset name)
	add_custom_target(preset-${name}
		COMMAND ${CMAKE_COMMAND} --preset ${name} --log-level=WARNING
			> ${CMAKE_BINARY_DIR}/preset-${name}.log
		COMMAND ${CMAKE_COMMAND} --build --preset ${name} -- --quiet
		COMMENT "building the ${name} preset" WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
endfunction()

zsanity_preset(debug)
zsanity_preset(msan)
zsanity_preset(libfuzzer)
zsanity_preset(afl)

# All that folders and those below them build.
set(programs)
set(folders core harness fuzz)
while(folders)
	list(POP_FRONT folders folder)
	get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
	get_property(more DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
	list(APPEND folders ${below})
	list(APPEND programs ${more})
endwhile()

# The kernel's allocators as plug-ins, for every build.
add_custom_target(kernel COMMAND harness/kernel/build
	COMMENT "building the kernel's allocators" WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)

# One run of ctest over all builds, so that they share the cores and the closing line counts all.
foreach(preset debug msan)
	set(there ${PROJECT_SOURCE_DIR}/build/${preset})
	set(tests ${CMAKE_BINARY_DIR}/${preset}-tests.cmake)
	file(WRITE ${tests}
		"if(EXISTS \"${there}/CTestTestfile.cmake\")\n\tsubdirs(\"${there}\")\nendif()\n")
	set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${tests})
endforeach()
foreach(check format tidy targets lines spdx readme header package)
	zsanity_test(check.${check} .ci/check ${check})
endforeach()
zsanity_test(prove_test proofs/prove_test.py)
zsanity_test(kernel.build harness/kernel/build_test.py)
zsanity_test(equal.faults harness/faults/kernel --seconds 20 deferred-free copy-short)

add_custom_target(check
	COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${CMAKE_BINARY_DIR} --parallel 2 --output-on-failure
	COMMENT "" WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} USES_TERMINAL VERBATIM)
add_dependencies(check ${programs} kernel preset-debug preset-msan)

# The kernel's file as the engines see into it.
add_custom_target(fuzz-kernels
	COMMAND harness/kernel/build PAGE=4 SANITIZE=libfuzzer
	COMMAND harness/kernel/build PAGE=16 SANITIZE=libfuzzer
	COMMAND harness/kernel/build PAGE=4 SANITIZE=afl
	COMMAND harness/kernel/build PAGE=16 SANITIZE=afl
	COMMENT "building the kernel's allocators for fuzzing" WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)

add_custom_target(fuzzers)
add_dependencies(fuzzers zsanity preset-libfuzzer preset-afl fuzz-kernels)
