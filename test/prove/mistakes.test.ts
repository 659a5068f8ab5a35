import { findMistakes } from '../helpers/find-mistakes.ts'

findMistakes(false)
