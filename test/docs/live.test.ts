import { transform } from 'esbuild'
import type { FastifyInstance } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'
import { createElement } from 'react'
import { create } from 'react-test-renderer'
import { test } from 'tap'
import { programsIn, read, writeProgram } from '../helpers/documents.ts'
import { eventually, listen } from '../helpers/follow.ts'

test('the programs of docs/live.md show what GET gives', async t => {
  const text = read('docs/live.md')
  const { app } = await import(writeProgram('live.ts', programsIn(text)[0] ?? '').href) as { app: FastifyInstance }
  t.teardown(() => app.close())
  const follow = await listen(app)
  const [script = ''] = programsIn(text, 'tsx')
  const shown: unknown[] = []
  const listeners = new Map<string, (event: { data: string }) => void>()
  class EventSource {
    addEventListener (event: string, listen: (event: { data: string }) => void) { listeners.set(event, listen) }
    close () {}
  }

  // eslint-disable-next-line no-new-func -- the program of a document
  new Function('EventSource', 'show', script)(EventSource, (notes: unknown) => { shown.push(structuredClone(notes)) })
  const one = await follow('/notes')
  let told = 0
  const show = () => {
    for (; told < one.events.length; told++) {
      const { event, data } = one.events[told] ?? { event: '', data: null }
      listeners.get(event)?.({ data: JSON.stringify(data) })
    }
  }
  for (const [method, url, text] of [
    ['POST', '/notes', 'a'], ['POST', '/notes', 'b'], ['PATCH', '/notes/1', 'c'], ['POST', '/notes', 'd']
  ] as const) {
    await app.inject({ method, url, payload: { text } })
    const got = (await app.inject('/notes')).json()
    await eventually(() => {
      show()
      return JSON.stringify(shown.at(-1)) === JSON.stringify(got)
    }, () => one.text)
    await sleep(1)
  }
  t.strictSame(shown.at(-1), [{ id: 1, text: 'c' }, { id: 2, text: 'b' }, { id: 3, text: 'd' }])
})

test('a component of React shows what GET gives', async t => {
  const text = read('docs/live.md')
  const { href } = writeProgram('live-react.ts', programsIn(text)[0] ?? '')
  const { app } = await import(href) as { app: FastifyInstance }
  t.teardown(() => app.close())
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const [, component = ''] = programsIn(text, 'tsx')
  const { code } = await transform(component.replace("createClient('/')", `createClient('${url}')`), {
    loader: 'jsx', jsx: 'automatic'
  })
  const { Notes } = await import(writeProgram('live-component.mjs', code).href) as { Notes: unknown }
  const page = create(createElement(Notes, null))
  const shown = () => JSON.stringify(page.toJSON())
  for (const text of ['b', 'a']) {
    await app.inject({ method: 'POST', url: '/notes', payload: { text } })
    await eventually(() => shown().includes(`["${text}"]`), shown)
  }
  t.match(shown(), /\["a"\].*\["b"\]/)
  page.unmount()
})
