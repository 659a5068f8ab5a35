import { foldCase } from '../../fold-case.ts'

interface Capitals { readonly from: string, readonly to: string }

let foundCapitals: Capitals | undefined

/** Returns the characters that foldCase() changes, and the characters that it gives for them. */
export function capitals (): Capitals {
  // Found at the first use, because it takes 40 ms.
  foundCapitals ??= findCapitals()
  return foundCapitals
}

function findCapitals (): Capitals {
  let from = ''
  let to = ''
  for (let code = 1; code <= 0x1ffff; code++) {
    // Surrogates are no characters.
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    const folded = foldCase(character)
    if (folded === character) continue
    from += character
    to += folded
  }
  return { from, to }
}
