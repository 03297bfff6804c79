/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bits - what the processor finds in a word in one step.
 *
 * The compiler has both; they are declared again to say what is believed of them, as nothing here has
 * a body to prove.
 */
#ifndef BITS_H
#define BITS_H

/*@
#include "bits.acsl"
*/

/* The zeros below the lowest bit set. word isn't 0. */
/*@ requires some: word != 0;
    terminates \true;
    assigns \nothing;
    ensures range: 0 <= \result < 64;
    ensures set: bits_has(word, \result);
    ensures lowest: \forall integer i; 0 <= i < \result ==> !bits_has(word, i);
*/
int __builtin_ctzll(unsigned long long word);

/* The zeros above the highest bit set. word isn't 0. */
/*@ requires some: word != 0;
    terminates \true;
    assigns \nothing;
    ensures range: 0 <= \result < 64;
    ensures set: bits_has(word, 63 - \result);
    ensures highest: \forall integer i; 63 - \result < i < 64 ==> !bits_has(word, i);
*/
int __builtin_clzll(unsigned long long word);

#endif
