// The script has a file for each behaviour of a page.
import { all, make } from './page.ts'

/** Adds buttons that copy. Browsers have no clipboard on pages that are not secure. */
export function offerCopies (): void {
  if (!navigator.clipboard) return
  for (const place of all('[data-copy]')) {
    place.append(copyButton('Copy', () => place.dataset['copy'] ?? ''))
  }
  for (const form of all<HTMLFormElement>('#rows')) {
    const formats = all<HTMLButtonElement>('[name=_as]')
    form.append(...formats.map(({ textContent, value }) => copyButton(`Copy ${textContent}`, async () => {
      const query = new URLSearchParams(new FormData(form) as unknown as Record<string, string>)
      const url = `${form.action}?${query}&_as=${value}`
      return (await fetch(url, { headers: { accept: 'text/html' } })).text()
    })))
  }
}

const copyButton = (name: string, read: () => string | Promise<string>) => make('button', {
  type: 'button',
  textContent: name,
  ariaLive: 'polite',
  async onclick ({ target }) {
    const button = target as HTMLElement
    const copied = navigator.clipboard.writeText(await read())
    button.textContent = await copied.then(() => 'Copied', () => 'Not copied')
    setTimeout(() => { button.textContent = name }, 2000)
  }
})
