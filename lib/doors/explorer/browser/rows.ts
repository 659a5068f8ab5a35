import { all, make } from './page.ts'

/** Lets keys walk through the rows of tables, and select them. */
export function walkRows (): void {
  for (const table of all<HTMLTableElement>('[data-rows]')) {
    // Rows come and go.
    const rowsNow = () => [...table.rows].slice(1)
    const stopsNow = () => rowsNow().map(row => row.querySelector<HTMLInputElement>('.key input,.key a'))
    table.parentElement?.addEventListener('keydown', event => walk(event, rowsNow(), stopsNow()))
    if (table.querySelector('[name=_row]')) select(table, stopsNow as () => HTMLInputElement[])
  }
}

/** Arrows, j and k go to another row; Enter opens the row whose box has the focus. */
function walk (event: KeyboardEvent, rows: HTMLElement[], stops: Array<HTMLElement | null>): void {
  const target = event.target as HTMLInputElement
  const at = rows.findIndex(row => row.contains(target))
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key]
  if (event.ctrlKey || event.altKey || event.metaKey) return
  if (step) stops[Math.max(at + step, 0)]?.focus()
  else if (event.key === 'Enter' && target.name === '_row') rows[at]?.querySelector<HTMLElement>('.key a')?.click()
  else return
  event.preventDefault()
}

/** A box selects its row; with Shift, all rows from the last one; the box of the header selects all. */
function select (table: HTMLTableElement, boxesNow: () => HTMLInputElement[]): void {
  const whole = make('input', { type: 'checkbox', ariaLabel: 'Select all rows' })
  table.querySelector('.pick span')?.prepend(whole)
  let last = 0
  const count = ({ target, shiftKey }: { target?: EventTarget | null, shiftKey?: boolean }) => {
    const boxes = boxesNow()
    const at = boxes.indexOf(target as HTMLInputElement)
    const from = shiftKey ? last : at
    boxes.forEach((box, index) => {
      if (target === whole) box.checked = whole.checked
      else if ((index - at) * (index - from) <= 0) box.checked = !!boxes[at]?.checked
    })
    if (at >= 0) last = at
    const { length } = boxes.filter(box => box.checked)
    whole.checked = length === boxes.length
    for (const output of all<HTMLOutputElement>('#rows output')) output.value = `${length} selected`
  }
  table.addEventListener('click', count)
  count({})
}
