/**
 * Returns a text without what a terminal would take for a command, or would show in another place: names come from
 * other people's databases.
 */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, character =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
