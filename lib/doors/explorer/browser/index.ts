import { check, send } from './check.ts'
import { complete } from './complete.ts'
import { offerCopies } from './copy.ts'
import { takeFiles } from './drop.ts'
import { offerLive } from './live.ts'
import { walkRows } from './rows.ts'

// The script of every page (docs/explorer.md: With JavaScript). It adds to pages that work without it, and asks the API
// as any client does. `npm run assets` makes lib/doors/explorer/script.ts of it.

addEventListener('input', check)
addEventListener('input', complete)
addEventListener('focusin', complete)
addEventListener('submit', send)
walkRows()
offerLive()
offerCopies()
takeFiles()
