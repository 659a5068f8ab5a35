import type { CollectionView } from '../../core/api/face.ts'
import { sortTerm } from '../../core/request/made.ts'
import type { Syntax } from '../../core/request/syntax.ts'
import { manyOf } from './form-fields.ts'
import { type Html, html } from './html.ts'
import { countOf, showPage, showRows } from './page.ts'
import { asking, type Place, readable, queryParts, rootPathTo } from './place.ts'
import { choicesOf, filterableFields, namingField, titleOf } from './value.ts'

/** A collection as the caller's agent knows it. `isRead`: it may read it. */
export interface AgentUse {
  readonly collection: CollectionView
  readonly isRead: boolean
  readonly writes: readonly string[]
}

/** Returns the page that tells what an agent of the caller may do, and what to paste for it (docs/agents.md). */
export function showAgentsPage (uses: readonly AgentUse[], place: Place): Html {
  const { callersDiffer, documentAt, agentsAt = '' } = place.face
  const { origin } = place.site
  const url = (...names: readonly string[]) => origin + rootPathTo(place, names.map(name => [name]))
  const door = url(agentsAt)
  const name = place.title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '')
  const header = callersDiffer ? ' --header "Authorization: Bearer $TOKEN"' : ''
  const servers = { mcpServers: { [name]: { url: door } } }
  const readFirst = uses.filter(({ isRead }) => isRead).slice(0, 1).map(({ collection }) => url(collection.name))
  const fetched = [url('llms.txt'), ...readFirst, ...documentAt === undefined ? [] : [url(documentAt)]]
  const questions = questionsOf(uses.filter(({ isRead }) => isRead).map(({ collection }) => collection), place.syntax)
  const main = html`<div class="stack">
<section><h2>Connect</h2>${showText('Claude Code', `claude mcp add --transport http ${name} ${door}${header}`)}${
    showText('A file such as .cursor/mcp.json', JSON.stringify(servers))}</section>
<section><h2>Without MCP</h2>${showText('Any program that fetches', fetched.map(one => `curl ${one}`).join('\n'))}
</section>
<section><h2>What it reads and writes</h2>${showRows('What it reads and writes', ['Collection', 'Reads', 'Writes'],
  uses.map(use => showUse(use, place)))}</section>
${questions.length > 0 && html`<section><h2>Questions that are one address</h2><ul class="prose">${
    questions.map(question => showQuestion(question, place))}</ul></section>`}</div>`
  return showPage({
    title: 'For agents', about: 'What a language model may do here: what you may do, and no more.', main
  }, place)
}

const showText = (title: string, text: string): Html =>
  html`<figure><figcaption class="soft" data-copy="${text}">${title} </figcaption><pre tabindex="0">${text}</pre>
</figure>`

function showUse ({ collection, isRead, writes }: AgentUse, place: Place): Html {
  const { name, fields } = collection
  const count = fields.filter(field => field.readable).length
  const title = html`<bdi>${collection.title ?? name}</bdi>`
  return html`<tr><th scope="row">${isRead ? html`<a href="${rootPathTo(place, [[name]])}">${title}</a>` : title}</th>
<td>${isRead ? countOf(count, 'field') : 'nothing'}</td><td>${
    writes.length === 0 ? 'nothing' : [...new Set(writes.map(method => words[method]))].join(', ')}</td></tr>`
}

const words: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' }

type Question = readonly [text: string, collection: CollectionView, query: string]

/** Returns questions of three kinds, each of the first collection that can answer it by one address. */
function questionsOf (collections: readonly CollectionView[], syntax: Syntax): readonly Question[] {
  const first = (ask: (collection: CollectionView) => Question | undefined) => {
    for (const collection of collections) {
      const question = ask(collection)
      if (question !== undefined) return [question]
    }
    return []
  }
  return [
    ...first(collection => {
      const field = filterableFields(collection).find(one => one.groupable && choicesOf(one) !== undefined)
      if (field === undefined || !collection.strategies.aggregates) return undefined
      const query = asking([], { fields: [field.name, 'count()'] }, syntax)
      return [`How many ${titleIn(collection)} are there of each ${titleOf(field)}?`, collection, query]
    }),
    ...first(collection => {
      const relation = manyOf(collection).find(one => one.sortable)
      if (relation === undefined) return undefined
      const count = `${relation.name}.count()`
      const name = namingField(collection)
      const asked = { fields: [...name?.readable === true ? [name.name] : [], count], size: 5 }
      const query = asking([], { ...asked, sort: sortTerm(count, true) }, syntax)
      return [`Which ${titleIn(collection)} have most ${titleOf(relation)}?`, collection, query]
    }),
    ...first(collection => {
      const field = filterableFields(collection).find(one =>
        one.groupable && !one.identifier && ordered.has(one.values))
      if (field === undefined) return undefined
      const query = asking([], { sort: sortTerm(field.name, true), size: 5 }, syntax)
      return [`Which ${titleIn(collection)} have the greatest ${titleOf(field)}?`, collection, query]
    })
  ]
}

const ordered: ReadonlySet<string> = new Set(['date', 'date-time', 'number', 'integer'])

const titleIn = ({ title, name }: CollectionView): string => title ?? name

function showQuestion ([text, { name }, query]: Question, place: Place): Html {
  const shown = queryParts(query.slice(1), place.syntax).map(readable).join('&')
  return html`<li><a href="${rootPathTo(place, [[name]])}${query}">${text}</a><br>
<code class="soft">/${name}?${shown}</code></li>`
}
