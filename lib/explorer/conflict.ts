import type { Current, FormField } from './fields.ts'
import { type Filled, showBase, showField } from './form.ts'
import { nameOf } from './grid.ts'
import { type Fragment, type Html, html } from './html.ts'
import { labelOf, titleOf } from './label.ts'
import type { Merged } from './merge.ts'
import { showPage } from './page.ts'
import { pathTo, type PlaceOf } from './place.ts'
import { cut, none } from './value.ts'

/** A form that was merged with the item as another has changed it in the meantime. */
interface Conflict {
  readonly merged: Merged
  /** The state that the form was made of. */
  readonly was: Merged['base']['was']
  /** Fields whose texts are not sent back, and so must be typed again. */
  readonly retyped: readonly FormField[]
  readonly now: Current | undefined
}

/** Returns the page of a conflict: for each field that anybody has changed, the three states of it. */
export function showConflict ({ merged, was, retyped, now }: Conflict, place: PlaceOf<'item'>): Html {
  const { texts, base, changes } = merged
  const label = cut(now === undefined ? nameOf(place) : labelOf(now.item, place.spot.resource.collection), 100)
  const isSent = (one: FormField) => texts.has(one.field.name) && !retyped.includes(one)
  const some = (who: string) => [...changes].flatMap(([one, by]) => by === who && isSent(one) ? [one] : [])
  const before = (one: FormField) => showKept(was.get(one.field.name))
  const stored = (one: FormField) => showKept(base.was.get(one.field.name))
  const mine = ({ field: { name } }: FormField) => showText(texts.get(name) ?? '')
  const keep = (one: FormField, who: string, text: Fragment) => html`<label><input type="radio" name="_keep.${
    one.field.name}" value="${who}"${who === 'mine' && html` checked`}><span>${text}</span></label>`
  const drop = (one: FormField) => html`<input type="hidden" name="_keep.${one.field.name}" value="theirs">
<label><input type="checkbox" name="_keep.${one.field.name}" value="mine" checked><span>${mine(one)}</span></label>`
  const main = html`<div class="note bad" role="alert"><p><strong>Somebody has changed this item since you opened the
 form.</strong></p><p>Nothing is saved yet, and nothing is lost.</p></div>
<form class="stack" method="post" action="${pathTo(place)}"><input type="hidden" name="_method" value="PATCH">${
    showBase(base)}${[...texts].map(([name, text]) => retyped.some(({ field }) => field.name === name)
    ? undefined
    : html`<input type="hidden" name="${name}" value="${text}">`)}
${showStates('Both of you changed', 'Choose what holds.', some('both'), [['Was', before],
  ['Stored now', one => keep(one, 'theirs', stored(one))], ['Yours', one => keep(one, 'mine', mine(one))]])}
${showStates('Only you changed', 'Saved as you have it. Uncheck what you no longer want.', some('mine'),
  [['Stored now', stored], ['Yours', drop]])}
${showStates('Only they changed', 'Stays as it is now. You need do nothing.', some('theirs'),
  [['Was', before], ['Stored now', stored]])}
${retyped.map(one => showField(one, retypedOf(retyped), false, place))}
<div class="save"><button class="primary">Save</button>
<button name="_take" value="=" formnovalidate>Back to the form</button>
<a class="button danger" href="${pathTo(place)}">Drop my changes</a></div></form>`
  return showPage({ heading: html`Edit <bdi>${label}</bdi>`, title: `Edit ${label}`, main }, place)
}

const retypedOf = (fields: readonly FormField[]): Filled => {
  const faults = new Map(fields.map(({ field: { name } }) => [name, ['must be typed again.']]))
  return { fields, texts: new Map(), faults, base: undefined }
}

function showStates (
  heading: string, about: string, fields: readonly FormField[],
  states: ReadonlyArray<readonly [name: string, show: (one: FormField) => Fragment]>
): Html | undefined {
  if (fields.length === 0) return undefined
  return html`<section><h2>${heading}</h2><p class="soft">${about}</p><div class="frame"><div class="scroll"
 role="region" aria-label="${heading}" tabindex="0"><table class="plainly merge"><thead><tr><th scope="col">Field</th>${
    states.map(([name]) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${fields.map(one => html`<tr>
<th scope="row"><bdi>${titleOf(one.field)}</bdi></th>${states.map(([name, show]) =>
  html`<td data-l="${name}">${show(one)}</td>`)}</tr>`)}</tbody></table></div></div></section>`
}

const showKept = (kept = '#') => kept[0] === '=' ? showText(kept.slice(1)) : html`<span class="soft">a long text</span>`

const showText = (text: string) => text === '' ? none : html`<bdi>${cut(text, longest)}</bdi>`

// In characters.
const longest = 200
