/** Returns the elements that a selector matches. */
export const all = <E extends HTMLElement>(selector: string): E[] => [...document.querySelectorAll<E>(selector)]

/** Makes an element. */
export const make = <N extends keyof HTMLElementTagNameMap>(
  name: N, properties: Partial<HTMLElementTagNameMap[N]>
): HTMLElementTagNameMap[N] => Object.assign(document.createElement(name), properties)
