import { DataApiError, malformedBody } from '../../core/errors/errors.ts'
import type { Answer } from '../../core/response/answer.ts'
import { fieldsToCreate } from './form-fields.ts'
import { type Fragment, type Html, html } from './html.ts'
import { cut } from './value.ts'
import { countOf, seeOther, showing, showPage, showRows } from './page.ts'
import { placeName, pathTo, type PlaceOf } from './place.ts'
import { allowedIn, checkMethod, type Visit } from './visit.ts'
import { orRefusal } from './attempt.ts'

/** A CSV that was checked: the number of its items, or the error by which the API refuses them. */
interface Checked { readonly csv: string, readonly count?: number, readonly error?: DataApiError }

/** Returns the page that imports the lines of a CSV: it is checked first where the API tries writes. */
export function showImport ({ csv, count, error }: Checked, place: PlaceOf<'collection'>): Html {
  const { resource } = place.spot
  const names = fieldsToCreate(resource).map(({ field }) => field.name).join(', ')
  const isChecked = count !== undefined || !resource.collection.strategies.dryRun
  const main = html`${error && showFaults(error, csv)}${count !== undefined && html`
<p class="note good" role="status">${countOf(count)} can be imported. Nothing is written yet.</p>`}
<form class="stack" method="post" action="${pathTo(place)}"><div class="field"><label for="csv">CSV</label>
<textarea id="csv" name="_csv" class="mono" dir="ltr" spellcheck="false" rows="12" required aria-describedby="hint-csv">
${csv}</textarea><p class="hint" id="hint-csv">The first line names the fields: <code>${names}</code>.
 All other lines are imported, or none.</p></div>
<div class="save">${isChecked
  ? html`<button class="primary">Import</button>`
  : html`<button class="primary" name="_check">Check</button>`}
<a class="button" href="${pathTo(place)}">Cancel</a></div></form>`
  return showPage({ title: `Import to ${placeName(place)}`, main }, place)
}

/** Returns the faults of an import by their lines. */
function showFaults ({ message, facts: { line, pointer, details } }: DataApiError, csv: string): Fragment {
  const lines = csv.split(/\r?\n/)
  const faults = details ?? (line === undefined ? [] : [{ line, pointer: pointer ?? '', message }])
  return html`<div class="note bad" role="alert"><p><strong>Nothing was imported.</strong></p>
<p>${faults.length === 0 ? message : 'All lines are imported, or none. Mend these, and check again.'}</p></div>
${faults.length > 0 && html`<section class="part"><h2>Faults by line</h2>${
  showRows('Faults by line', ['#Line', 'Has', 'Field', 'Fault'], faults.map(one => html`<tr>
<td class="num">${one.line}</td><td><code>${cut(lines[(one.line ?? 0) - 1] ?? '', longest)}</code></td>
<td><code>${one.pointer.slice(1)}</code></td><td>${one.message}</td></tr>`))}</section>`}`
}

// In characters.
const longest = 92

/** Imports the lines of a form, or only checks them. */
export async function importLines (
  form: ReadonlyMap<string, string>, place: PlaceOf<'collection'>, visit: Visit
): Promise<Answer> {
  checkMethod('POST', place.spot)
  if (!allowedIn(place).import) throw malformedBody('Lines cannot be imported here.')
  const csv = form.get('_csv') ?? ''
  const isTried = form.has('_check')
  const prefer = isTried ? { prefer: 'dry-run' } : {}
  const done = await orRefusal(async () => visit.ask({ method: 'POST', url: visit.ownPath, csv, ...prefer }))
  if (done instanceof DataApiError) return showing(done.statusCode, () => showImport({ csv, error: done }, place))
  const { count } = JSON.parse(String(done.body)) as { readonly count: number }
  if (!isTried) return seeOther(`${pathTo(place)}?_done=${count}+created`)
  return showing(200, () => showImport({ csv, count }, place))
}
