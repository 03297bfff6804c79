# SPDX-License-Identifier: BSD-3-Clause
# Flags of this project's own builds; one that embeds the core keeps its own.

set(ZSANITY_SANITIZER "" CACHE STRING "With the build type Sanitize: asan (and UBSan) or msan")
set_property(CACHE ZSANITY_SANITIZER PROPERTY STRINGS asan msan)

# -O2 -g with assertions on; and the builds of every sanitizer run.
set(sanitizers_asan "-O1 -fsanitize=address,undefined,integer")
set(sanitizers_msan "-O2 -fsanitize=memory -fsanitize-memory-param-retval")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_SANITIZE "-g -fno-omit-frame-pointer -fno-sanitize-recover=all")
string(APPEND CMAKE_C_FLAGS_SANITIZE " ${sanitizers_${ZSANITY_SANITIZER}}")

add_compile_options(
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Werror)
if(NOT ZSANITY_ENGINE STREQUAL none)
	add_compile_options(-O2)
endif()
# Without the hooks at each comparison, which took half the time and found less in it.
if(ZSANITY_ENGINE STREQUAL libfuzzer)
	add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp,indirect-calls)
endif()

# Makes each source a test of its own, linked with the library it tests.
function(zsanity_unit_tests library)
	foreach(source ${ARGN})
		cmake_path(GET source STEM name)
		add_executable(${name} ${source})
		target_link_libraries(${name} PRIVATE ${library} cmocka)
		zsanity_test(${name} $<TARGET_FILE:${name}>)
	endforeach()
endfunction()

# A test that runs in every build; a sanitized one's names begin with "asan." or "msan.".
function(zsanity_test name)
	if(ZSANITY_SANITIZER)
		set(name ${ZSANITY_SANITIZER}.${name})
	endif()
	add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
	set_tests_properties(${name} PROPERTIES TIMEOUT 300
		ENVIRONMENT "ASAN_OPTIONS=detect_leaks=1;UBSAN_OPTIONS=print_stacktrace=1")
endfunction()
