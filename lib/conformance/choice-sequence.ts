/**
 * The choices that something generated is made of, each from 0 to 65535; beyond its end are zeros. Whatever reads a tape takes zero for the simplest
 * choice, so that a shorter tape with smaller numbers is a simpler thing of the same kind, and every tape is some thing.
 */
export type ChoiceSequence = readonly number[]

export const choiceLimit = 65536
