// The script has a file for each behaviour of a page.
/** Checks the box of a field of many in which somebody types. */
export function check ({ target }: Event): void {
  const box = (target as HTMLElement).closest('tr')?.querySelector<HTMLInputElement>('[name^=_set]')
  if (box && box !== target) box.checked = true
}

const main = document.querySelector('main') as HTMLElement

/** Shows that a form is on its way, and sends it once. */
export function send (event: SubmitEvent): void {
  if ((event.target as HTMLFormElement).method !== 'post') return
  if (main.ariaBusy) event.preventDefault()
  main.ariaBusy = 'true'
}

// A page that a browser has kept is shown again.
addEventListener('pageshow', () => { main.ariaBusy = null })
