import { createHash } from 'node:crypto'
import { baseStyle } from './style-base.ts'
import { pageStyle } from './style-pages.ts'
import { tableStyle } from './style-tables.ts'

/** The style sheet of every page. */
export const style = baseStyle + tableStyle + pageStyle

/** The name of this style sheet: browsers may keep what has this name for ever. */
export const styleName = createHash('sha256').update(style).digest('base64url').slice(0, 16)
