/**
 * Choices that generate a value, each an integer from 0 to 65535. After its end a sequence reads as zeros.
 * A generator takes zero for the simplest choice, so that a shorter sequence with smaller numbers generates a simpler
 * value of the same kind. Every sequence generates a value.
 */
export type ChoiceSequence = readonly number[]

/** The number of different choices: each is below it. */
export const choiceLimit = 65536
