const random = /[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/gi
const moment = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
const day = 86_400_000

/** Returns the text without what is random: UUIDs, and moments of today. Rows have neither. */
export const plain = (text: string) => text
  .replaceAll(random, uuid => uuid.startsWith('00000000-') ? uuid : 'a UUID')
  .replaceAll(moment, time => Math.abs(Date.parse(time) - Date.now()) < day ? 'now' : time)
