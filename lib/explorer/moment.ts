/** Returns the moment, in UTC, that an input for dates and times sends; another text as it is. */
export function momentOf (text: string): string {
  const [, minute, rest = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?$/.exec(text) ?? []
  return minute === undefined ? text : `${minute}${rest === '' ? ':00' : rest}Z`
}
