import { collectDiagnostics, hasErrors, isInstruction, show, strictly } from '../diagnostics.js'
import type { Diagnostic } from '../diagnostics.js'
import { pointerTo } from '../document/json.js'
import { loadDocument } from '../document/load.js'
import type { Document, LoadOptions } from '../document/load.js'
import type { DateMode, Int64Mode } from '../emit/values/modes.js'
import type { DocumentEmitter } from '../emit/emitter.js'
import type { Plugin } from '../emit/plugin.js'
import { emitters as every, outputsHere } from '../emitters/index.js'
import type { Api } from '../ir/api.js'
import { isolate } from '../isolate/isolate.js'
import type { LeftOut } from '../isolate/isolate.js'
import { select } from '../select/select.js'
import type { Selection } from '../select/select.js'
import { unknownFields } from '../validate/unknown-fields.js'
import { validateExamples } from '../validate/validate-examples.js'
import { packages } from './target.js'
import { pluginEmitter } from './plugin-emitter.js'
import type { Target } from './target.js'
import { compare, hashed, isClean, write } from './write.js'
import type { Drift, Hashed } from './write.js'
import { arePlain, type ValueModes } from '../emit/values/modes.js'
import { withValues } from '../emit/values/with-values.js'
import { render } from './render.js'

export type GenerateOptions = {
  /** The entry: a file relative to `cwd`, a URL, or `-`. Default: spec/openapi.yaml. */
  readonly spec?: string
  /** Where the output goes. Default: the packages of this repository. */
  readonly target?: Target
  /** The outputs to make. Default: all, and no plugin. */
  readonly emitters?: readonly (DocumentEmitter | Plugin)[]
  /** Compare with the disk and write nothing. */
  readonly check?: boolean
  /** Follow references that leave the folder of the document. */
  readonly allowRefs?: boolean
  /**
   * Refuse a document with an error. Default: false. Then faulty schemas are `unknown`, other
   * faulty parts are left out, and the errors become warnings.
   */
  readonly strict?: boolean
  /** Base of all paths. Default: the working directory of the process. */
  readonly cwd?: string
  /** Options for a document from a URL or standard input, and overlays. */
  readonly input?: Omit<LoadOptions, 'cwd' | 'allowRefs'>
  /** The operations to generate. Default: all, and all components. */
  readonly selection?: Selection
  /**
   * What programs have for dates. Default: text. An emitter that imports types and does not convert
   * does not fit types that do.
   */
  readonly dates?: DateMode
  /** What programs have for whole numbers of `int64`. Default: number. */
  readonly int64?: Int64Mode
  /** Called after each step with a description of it. */
  readonly onStep?: (step: string) => void
}

export type GenerateResult =
  | {
      readonly status: 'written' | 'clean' | 'drifted'
      readonly drift: Drift
      readonly diagnostics: readonly Diagnostic[]
      /** What the output is without, for the errors of the document. */
      readonly leftOut: readonly LeftOut[]
      readonly operations: number
      readonly document: Document
      /** What stands on the disk now; with `check`, what should. */
      readonly outputs: Hashed
    }
  | { readonly status: 'faulty'; readonly diagnostics: readonly Diagnostic[]; readonly document?: Document }

/**
 * Document → API model → files → disk. An error in the document is part of the result, and nothing
 * is written. An error in an emitter is thrown, one in a plugin as `PluginError`, and nothing is
 * written either.
 */
export async function generate(options: GenerateOptions = {}): Promise<GenerateResult> {
  const {
    spec = 'spec/openapi.yaml',
    target = packages,
    emitters = target === packages ? outputsHere : every,
    check = false,
    allowRefs = false,
    strict = false,
    cwd = process.cwd(),
    input = {},
    selection = { include: [], exclude: [], prune: false },
    dates = 'text',
    int64 = 'number',
    onStep,
  } = options
  const loaded = await loadDocument(spec, { ...input, cwd, allowRefs })
  if (loaded.document === undefined) return { status: 'faulty', diagnostics: loaded.diagnostics }
  onStep?.(`read ${count(loaded.document.files.length, 'file')}`)

  const { document: selected, diagnostics: ofSelection } = select(loaded.document, selection)
  const said = selected === loaded.document ? loaded.diagnostics : loaded.diagnostics.filter((one) => concerns(one, selected))
  if (hasErrors(ofSelection)) return { status: 'faulty', diagnostics: [...said, ...ofSelection], document: selected }
  const built = isolate(selected)
  const { api, document, leftOut } = built
  const read = [...said, ...ofSelection, ...built.diagnostics.filter((one) => !follows(one, said)), ...unknownFields(selected)]
  const outlets = emitters.map((one) => ('kit' in one ? pluginEmitter(one) : one))
  const found = [...read, ...(api === undefined ? [] : misread(api, outlets))]
  const refused = strict ? strictly(found) : found
  if (api === undefined || (strict && hasErrors(refused))) return { status: 'faulty', diagnostics: refused, document }
  const model = converted(api, { dates, int64 })
  const diagnostics = [...found.map(asWarning), ...model.diagnostics, ...validateExamples(api)]
  const operations = api.operations.length
  onStep?.(`understood ${count(operations, 'operation')} and ${count(api.schemas.length, 'schema')}`)

  const rendered = await render(api, document, outlets, target, onStep, model.api)
  const outputs = hashed(rendered)
  const drift = await compare(cwd, outputs)
  if (!check) await write(cwd, rendered, drift)
  const status = isClean(drift) ? 'clean' : check ? 'drifted' : 'written'
  return { status, drift, diagnostics, leftOut, operations, document, outputs }
}

/** What the document asks of outputs and they do not understand. */
export function misread(api: Api, emitters: readonly DocumentEmitter[]): readonly Diagnostic[] {
  const { report, all } = collectDiagnostics()
  for (const emitter of emitters)
    for (const { origin, at, found, expected } of emitter.misread?.(api) ?? [])
      report('FB4018', api.locate({ ...origin, pointer: pointerTo(origin.pointer, ...at) }), show(found), expected)
  return all()
}

/** Whether a fault of the whole document is one of a selection from it, too. */
function concerns({ code, place: { file, pointer } }: Diagnostic, { broken, origin }: Document): boolean {
  if (isInstruction(code)) return true
  return broken.map(origin).some((node) => node.file === file && `${pointer}/`.startsWith(`${node.pointer}/`))
}

/** An error that cost only a part is none any more: an error is what refuses a document. */
function asWarning({ code, place, found, expected }: Diagnostic): Diagnostic {
  return { code, severity: 'warning', place, found, expected }
}

/** Whether a fault is only a consequence of a broken reference at the same place. */
function follows({ place }: Diagnostic, broken: readonly Diagnostic[]): boolean {
  return broken.some(
    ({ place: ref }) => ref.file === place.file && `${place.pointer}/`.startsWith(`${ref.pointer.replace(/\/\$ref$/, '')}/`),
  )
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

/**
 * The model with dates and bigints where they are asked for, and a warning for each place that
 * keeps what JSON has.
 */
export function converted(model: Api, modes: ValueModes): { readonly api: Api; readonly diagnostics: readonly Diagnostic[] } {
  if (arePlain(modes)) return { api: model, diagnostics: [] }
  const { api, clashes } = withValues(model, modes)
  const { report, all } = collectDiagnostics()
  for (const { schema, what } of clashes)
    report('FB3015', api.locate(schema.notes.origin), what, 'one place in which a value has it; it stays as JSON has it')
  return { api, diagnostics: all() }
}
