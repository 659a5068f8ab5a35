/** The script of every page; all of them work without it. */
export const script = ''
