import { test } from 'tap'
import { html, textsOf } from '../../lib/doors/explorer/html.ts'

test('a value is text wherever it stands, whichever of the signs of markup it has', async t => {
  const escaped = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  for (const [sign, entity] of Object.entries(escaped)) {
    t.equal([...textsOf(html`<a title="${sign} x">${sign}</a>`)].join(''), `<a title="${entity} x">${entity}</a>`)
  }
})
