// Nothing that was added shows: no warning, no other dependencies, clang's own exit codes.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %cc -Wall -Wextra -Werror -c %s -o a.o -MD -MF with.d 2>&1 | count 0
// RUN: %cc -Wall -Wextra -Werror a.o -o a 2>&1 | count 0
// RUN: %cc -Wall -Wextra -Werror %s -o a 2>&1 | count 0
// RUN: %cc -Werror -S %s -o a.s 2>&1 | count 0
// RUN: %cc -Werror -c a.s -o a.o 2>&1 | count 0
// RUN: %cc -Werror -shared -fPIC %s -o a.so 2>&1 | count 0
// RUN: %cc -Werror -fsyntax-only %s 2>&1 | count 0
// RUN: %cc -Werror -M %s -MT a.o > with.M && clang -M %s -MT a.o > without.M && diff with.M without.M
// RUN: clang -c %s -o a.o -MD -MF without.d && diff with.d without.d
//
// The user's own mistakes are still theirs.
// RUN: not %cc -Werror -c %s -o a.o -lm 2>&1 | FileCheck %s --check-prefix=UNUSED
// UNUSED: -lm: 'linker' input unused
// RUN: sh -c '%cc -c %s -DBroken 2>/dev/null; echo $?' | FileCheck %s --check-prefix=CODE
// CODE: {{^}}1{{$}}
#ifdef Broken
#error
#endif
int Counter;
int main(void) { return Counter; }
