// The script has a file for each behaviour of a page.
import { all, make } from './page.ts'

/** Takes a CSV that is dropped on a listing, or dropped or chosen on the page of imports. */
export function takeFiles (): void {
  const [link] = all<HTMLAnchorElement>('[data-drop]')
  const [text] = all<HTMLTextAreaElement>('#csv')
  if (!link && !text) return
  const take = async (files: FileList | null | undefined) => {
    const csv = await files?.[0]?.text()
    if (csv === undefined) return
    if (text) text.value = csv
    else if (link) check(link.pathname, csv)
  }
  text?.before(make('input', {
    type: 'file', accept: '.csv', ariaLabel: 'File', onchange: ({ target }) => take((target as HTMLInputElement).files)
  }))
  addEventListener('dragover', event => { event.preventDefault() })
  addEventListener('drop', event => {
    event.preventDefault()
    take(event.dataTransfer?.files).catch(reportError)
  })
}

/** Sends the form of the page of imports. */
function check (action: string, csv: string): void {
  const form = make('form', { method: 'post', action, hidden: true })
  form.append(make('textarea', { name: '_csv', value: csv }), make('input', { name: '_check' }))
  document.body.append(form)
  form.submit()
}
