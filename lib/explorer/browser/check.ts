import { make } from './page.ts'

/** A check of a text (lib/explorer/form.ts), and the message of a text that does not pass it. */
interface Check { message: string, form?: string, least: number, most: number }

/** Checks what is typed into a form, and says beside the field what is wrong. Checks the box of a field of many. */
export function check (event: Event): void {
  const input = event.target as HTMLInputElement
  const box = input.closest('tr')?.querySelector<HTMLInputElement>('[name^=_set]')
  if (box && box !== input) box.checked = true
  const checks = JSON.parse(input.dataset['checks'] ?? '[]') as Check[]
  const broken = input.value ? checks.find(one => !passes(input.value, one)) : undefined
  input.setCustomValidity(broken?.message ?? '')
  report(event)
}

function passes (text: string, { form, least, most }: Check): boolean {
  // A limit that is not there is undefined, and no number is less or greater.
  if (+text < least || +text > most) return false
  try {
    return form ? new RegExp(form, 'u').test(text) : JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

/** Says beside a field what is wrong with it. */
export function report ({ target }: Event): void {
  const input = target as HTMLInputElement
  const field = input.closest('.field')
  if (!field) return
  const message = input.validationMessage
  for (const fault of field.querySelectorAll('.fault')) fault.remove()
  if (message) field.append(make('p', { className: 'fault', id: `fault-${input.name}`, textContent: message }))
  input.ariaInvalid = `${!!message}`
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
