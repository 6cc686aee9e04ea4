/* SPDX-License-Identifier: Apache-2.0 */
/* Compiler attributes under portable names. Nothing else may live here. */
#ifndef SM_CORE_COMPILER_H
#define SM_CORE_COMPILER_H

/* The caller must look at the result: on every function that returns a status. */
#define SM_MUST_CHECK                   __attribute__((warn_unused_result))
#define SM_PRINTF(fmt_index, first_arg) __attribute__((format(printf, fmt_index, first_arg)))
#define SM_LIKELY(x)                    __builtin_expect(!!(x), 1)
#define SM_UNLIKELY(x)                  __builtin_expect(!!(x), 0)
#define SM_NOINLINE                     __attribute__((noinline))
#define SM_INLINE                       static inline __attribute__((always_inline))

#endif
