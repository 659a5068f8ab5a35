import type { FastifyInstance } from 'fastify'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'

// The documents of the project, read as the tests need them. Programs import the package by its name, as a user would,
// so it must be built.

export const root = new URL('../../', import.meta.url)

/**
 * A file of the project. `docs/running.md#operations` is a part of a page: what stands below its heading of the second
 * level, as a page of its own. `docs/running.md#` is what stands above the first one.
 */
export function read (path: string): string {
  const [file = '', anchor] = path.split('#')
  const text = readFileSync(new URL(file, root), 'utf8')
  return anchor === undefined ? text : partOf(text, anchor)
}

function partOf (text: string, anchor: string): string {
  const [head = '', ...parts] = text.split(/^(?=## )/m)
  if (anchor === '') return head
  const part = parts.find(one => anchorOf(one.slice(3).split('\n')[0] ?? '') === anchor)
  if (part === undefined) throw new Error(`there is no part '${anchor}'`)
  return part.replaceAll(/^#(?=#+ )/gm, '')
}

/** The anchor of a heading on GitHub: lower case, without punctuation, hyphens for spaces. */
export const anchorOf = (heading: string) => heading.toLowerCase().replaceAll(/[^\w\- ]/g, '').replaceAll(' ', '-')

/** The Markdown files of the project, as paths from the root. */
export const documents = (): readonly string[] => [
  ...readdirSync(root).filter(name => name.endsWith('.md')),
  ...readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md')).map(name => `docs/${name}`)
]

/** The text of a section, or of the whole document without a heading. */
export function sectionOf (document: string, heading?: string): string {
  const text = read(document)
  return heading === undefined ? text : text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
}

/** The cells of all tables in a text, by their rows. */
export const cellsOf = (text: string): ReadonlyArray<readonly string[]> => text.split('\n')
  .filter(line => line.startsWith('| '))
  .map(line => line.slice(1).replace(/\|$/, '').split(/ \|(?= )/).map(cell => cell.trim()))

/** What stands in backticks. */
export const codeIn = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** The programs of a text, in a language. */
export const programsIn = (text: string, language = 'ts'): readonly string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, program = '']) => program)

/** Writes a program inside of the package, where its own name can be imported. Returns its URL. */
export function writeProgram (name: string, program: string): URL {
  const folder = new URL('.tap/documents/', root)
  mkdirSync(folder, { recursive: true })
  const file = new URL(name, folder)
  writeFileSync(file, program)
  return file
}

/** Sends the request of a row, such as `POST /notes`, with its body. Returns the answer as the row has it. */
export async function answerTo (
  app: FastifyInstance, request: string, body: string, headers: Readonly<Record<string, string | undefined>> = {}
): Promise<string> {
  const [, method = '', url = '', type = 'application/json'] = /^`(\w+) (.+?)`(?: as `(.+)`)?$/.exec(request) ?? []
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: { ...headers, ...body !== '' && { 'content-type': type } },
    ...body !== '' && { payload: body.slice(1, -1) }
  })
  return response.body === '' ? String(response.statusCode) : `${response.statusCode} \`${response.body}\``
}

/** Writes a program and imports it. Returns the application that it exports. */
export async function appOf (name: string, program: string): Promise<FastifyInstance> {
  const { app } = await import(writeProgram(name, program).href) as { app: FastifyInstance }
  return app
}
