import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { withoutRunner } from '../helpers/on-socket.ts'

// docs/limits.md

test('a process with little memory streams everything, and refuses the pages that it cannot hold', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'data-api-limits-'))
  const child = fork(new URL('../helpers/small-server.ts', import.meta.url), [join(folder, 'small.db')], {
    ...withoutRunner, execArgv: [...withoutRunner.execArgv, '--max-old-space-size=160']
  })
  t.teardown(async () => {
    child.disconnect()
    if (child.exitCode === null) await once(child, 'exit')
    rmSync(folder, { recursive: true })
  })
  const [port] = await once(child, 'message') as [number]
  const nested = 'fields=parent(children(text,parent(children(text;limit=1000));limit=1000))'
  for (const url of [
    '/documents?limit=200', '/documents?id>=0&limit=200', '/zeros?limit=1000',
    '/nodes?limit=1000&fields=parent(children(text;limit=1000))',
    `/nodes?limit=1&${nested}`, `/nodes?id=7&limit=1&${nested}`, `/nodes/7?${nested}`,
    `/nodes?limit=1&${nested.replaceAll('text', 'length')}`,
    '/nodes/1?fields=zeros(text;limit=1000)', '/nodes?limit=1&fields=zeros(length;limit=1000)'
  ]) {
    const answer = await fetch(`http://127.0.0.1:${port}${url}`)
    const { error } = await answer.json() as { readonly error: string }
    t.equal(`${answer.status} ${error}`, '400 answer_too_large', url)
  }
  for (const [url, length] of [
    ['/documents?sort=text,id', 200 * 400_020], ['/letters', 520 * 400_020],
    ['/nodes?limit=100&fields=parent(children(text;limit=1000))', 100 * 211_026]
  ] as const) {
    const { body } = await fetch(`http://127.0.0.1:${port}${url}`, { headers: { accept: 'application/x-ndjson' } })
    let sent = 0
    for await (const chunk of body ?? []) sent += (chunk as Uint8Array).length
    t.ok(Math.abs(sent - length) < length / 100, `${url}: ${sent}`)
  }
  child.send('memory')
  const [memory] = await once(child, 'message') as [number]
  // Some of it is what strips the types of this process: the built plugin has at most 210 MB.
  t.ok(memory < 512, `${memory} MB`)
})
