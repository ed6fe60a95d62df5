import { collectDiagnostics } from '../diagnostics.js'
import type { Diagnostic, Place } from '../diagnostics.js'
import { pointerTo, segmentsOf } from '../document/json.js'
import type { Document } from '../document/load.js'
import type { Api } from '../ir/api.js'
import { translate } from '../ir/build.js'
import { applyEdits } from './edits.js'
import type { Edit } from './edits.js'
import { findUnits } from './units.js'

/** A part of the document that the output is without, or has as `unknown`. */
export type LeftOut = {
  readonly kind: 'operation' | 'schema' | 'other'
  /** `POST /pets`, or a pointer into the joined document. */
  readonly name: string
  readonly place: Place
}

export type Isolated = {
  /** Undefined if an error is in no part that can be left out, or nothing remains. */
  readonly api?: Api
  /** The document without the parts that were left out. */
  readonly document: Document
  readonly diagnostics: readonly Diagnostic[]
  readonly leftOut: readonly LeftOut[]
}

/**
 * Translates a document without its faulty parts. Each pass removes the units in which the previous
 * one found errors, so the passes end.
 */
export function isolate(document: Document): Isolated {
  const { report, all } = collectDiagnostics()
  const units = findUnits(document.root)
  let rest = document
  // the first pass reads the unchanged document, so that one run finds all errors
  for (let broken = document.broken; ; broken = []) {
    const { api, diagnostics, faults } = translate(rest)
    for (const { code, place, found, expected } of diagnostics) report(code, place, found, expected)
    if (api !== undefined && broken.length + faults.length === 0) {
      const leftOut = listLeftOut(document, units.edits)
      return {
        document: rest,
        diagnostics: all(),
        leftOut,
        ...(isEmpty(api, units.edits) ? {} : { api }),
      }
    }
    const before = units.changes()
    const isolable = [...broken, ...faults].every(units.isolate)
    if (!isolable || units.changes() === before)
      return { document, diagnostics: all(), leftOut: [] }
    rest = { ...document, root: applyEdits(document.root, units.edits) }
  }
}

/** Whether nothing is left of a document that had something. */
function isEmpty({ operations, schemas }: Api, edits: ReadonlyMap<string, Edit>): boolean {
  return (
    edits.size > 0 &&
    operations.length === 0 &&
    schemas.every(({ key }) => edits.get(pointerTo('/components/schemas', key)) === 'open')
  )
}

function listLeftOut({ place }: Document, edits: ReadonlyMap<string, Edit>): readonly LeftOut[] {
  return [...edits].flatMap(([pointer, edit]): LeftOut[] => {
    if (edit === 'loosen') return []
    const [section, path = '', method, ...deeper] = segmentsOf(pointer)
    if (section === 'paths' && method !== undefined && deeper.length === 0)
      return [{ kind: 'operation', name: `${method.toUpperCase()} ${path}`, place: place(pointer) }]
    return [
      { kind: edit === 'open' ? 'schema' : 'other', name: `#${pointer}`, place: place(pointer) },
    ]
  })
}
