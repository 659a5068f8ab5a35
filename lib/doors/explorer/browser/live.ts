import { all, make } from './page.ts'
import { walkRows } from './rows.ts'

/** Adds the switch that keeps a page as it is now. */
export function offerLive (): void {
  for (const place of all('[data-live]')) place.append(liveSwitch(place.dataset['live'] ?? ''))
}

function liveSwitch (url: string): HTMLElement {
  let events: EventSource | undefined
  const show = () => { button.ariaPressed = `${!!events}` }
  const stop = () => {
    events?.close()
    events = undefined
    show()
  }
  const button = make('button', {
    type: 'button',
    className: 'quiet',
    textContent: 'Live',
    onclick () {
      if (events) return stop()
      events = new EventSource(url)
      for (const name of ['snapshot', 'patch']) events.addEventListener(name, () => { renew().catch(() => {}) })
      // The page of the error takes the place of this one.
      events.addEventListener('end', () => { location.reload() })
      events.onerror = () => { if (events?.readyState === 2) stop() }
      show()
    }
  })
  show()
  return button
}

let told = 0

/** Asks for the page again, once for all events that come in the meantime. */
async function renew (): Promise<void> {
  if (told++) return
  try {
    for (let seen = 0; seen !== told;) {
      seen = told
      const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
      if (answer.ok) showPage(await answer.text())
    }
  } finally {
    told = 0
  }
}

/** Shows what another page has in place of what this one has. What opens from its cells gets names of its own. */
function showPage (text: string): void {
  const names = text.replace(/ (id|popovertarget)="p\d+/g, `$&_${Date.now()}`)
  const page = new DOMParser().parseFromString(names, 'text/html')
  const places = 'main :is(h1,dl,tbody,.pages)'
  const [before, after] = [all(places), [...page.querySelectorAll<HTMLElement>(places)]]
  // Where a table begins or ends, all is new.
  if (before.map(({ tagName }) => tagName).join() === after.map(({ tagName }) => tagName).join()) {
    before.forEach((place, at) => { showChildren(place, after[at] as HTMLElement) })
  } else {
    all('main')[0]?.replaceChildren(...page.querySelector('main')?.childNodes ?? [])
    walkRows()
  }
}

const textOf = (one: Node) => (one as HTMLElement).outerHTML?.replace(/ (id|popovertarget)="\w+"/g, '') ?? one.nodeValue

/** Shows children in place of others. Those that are the same stay, with what is selected, open or has the focus. */
function showChildren (place: HTMLElement, { childNodes }: HTMLElement): void {
  const picked = all<HTMLInputElement>('[name=_row]:checked').map(({ value }) => value)
  const old = [...place.childNodes]
  const texts = old.map(textOf)
  const now = [...childNodes].map(one => {
    const at = texts.indexOf(textOf(one))
    if (at < 0) return one
    texts.splice(at, 1)
    return old.splice(at, 1)[0] as Node
  })
  for (const one of old) one.remove()
  now.forEach((one, at) => {
    const there = place.childNodes[at] ?? null
    const isNew = one.ownerDocument !== document
    if (one !== there) place.insertBefore(one, there)
    if (isNew) mark(one as HTMLElement, picked)
  })
  place.dispatchEvent(new Event('click', { bubbles: true }))
}

/** Shows for a second that an element has changed. */
function mark (one: HTMLElement, picked: readonly string[]): void {
  if (!one.animate) return
  const box = one.querySelector<HTMLInputElement>('[name=_row]')
  if (box) box.checked = picked.includes(box.value)
  const easing = matchMedia('(prefers-reduced-motion)').matches ? 'step-end' : 'ease-in'
  for (const part of [one, ...one.children]) part.animate([{ background: 'var(--bar)', easing }, {}], 1000)
}
