import { collectDiagnostics, hasErrors, isInstruction, show, toStrict } from '../diagnostics.js'
import type { Diagnostic } from '../diagnostics.js'
import { pointerTo } from '../document/json.js'
import { loadDocument } from '../document/load.js'
import type { Document, LoadOptions } from '../document/load.js'
import {
  arePlain,
  type DateMode,
  type Int64Mode,
  type ValueModes,
} from '../emit/values/converted.js'
import type { DocumentEmitter, Plugin } from '../emit/emitter.js'
import { emitters as allEmitters, outputsHere } from '../emitters/index.js'
import type { Api } from '../ir/api.js'
import { isolate } from '../isolate/isolate.js'
import type { LeftOut } from '../isolate/isolate.js'
import { select } from '../select/select.js'
import type { Selection } from '../select/select.js'
import { findClosedParts } from '../validate/find-closed-parts.js'
import { findUnknownFields } from '../validate/unknown-fields.js'
import { validateExamples } from '../validate/validate-examples.js'
import { packages } from './target.js'
import { createPluginEmitter } from './plugin-emitter.js'
import type { Target } from './target.js'
import { compare, hashFiles, isClean, write } from './write.js'
import type { Drift, FileHashes } from './write.js'
import { applyModes } from '../emit/values/apply-modes.js'
import { render } from './render.js'

export type GenerateOptions = {
  /** The entry: a file relative to `cwd`, a URL, or `-`. Default: spec/openapi.yaml. */
  readonly spec?: string
  /** Where the output goes. Default: `packages`, the layout of the repository of Farebox. */
  readonly target?: Target
  /** The outputs to generate. Default: all, and no plugin. */
  readonly emitters?: readonly (DocumentEmitter | Plugin)[]
  /** Compare with the disk without writing. Default: false. */
  readonly check?: boolean
  /** Follow references that leave the folder of the document. */
  readonly allowRefs?: boolean
  /**
   * Reject a document with an error. Default: false: faulty schemas become `unknown`, other faulty
   * parts are left out, and the errors become warnings.
   */
  readonly strict?: boolean
  /** Base of all paths. Default: the working directory of the process. */
  readonly cwd?: string
  /** Options for a document from a URL or standard input, and overlays. */
  readonly input?: Omit<LoadOptions, 'cwd' | 'allowRefs'>
  /** The operations to generate. Default: all, and all components. */
  readonly selection?: Selection
  /**
   * How programs represent dates. Default: `text`. An emitter that imports types must convert dates
   * as they do.
   */
  readonly dates?: DateMode
  /** How programs represent integers of `int64`. Default: `number`. */
  readonly int64?: Int64Mode
  /** Called after each step with a description of it. */
  readonly onStep?: (step: string) => void
}

export type GenerateResult = GenerateSuccess | GenerateFailure

type GenerateSuccess = {
  readonly status: 'written' | 'clean' | 'drifted'
  readonly drift: Drift
  readonly diagnostics: readonly Diagnostic[]
  /** The parts that the errors of the document dropped. */
  readonly leftOut: readonly LeftOut[]
  readonly operations: number
  readonly inputs: Document['inputs']
  /** The files on the disk; with `check`, those that should be there. */
  readonly outputs: FileHashes
}

type GenerateFailure = Pick<GenerateSuccess, 'diagnostics' | 'inputs'> & {
  readonly status: 'faulty'
}

/**
 * Document → API model → files → disk. Returns errors in the document, throws errors of an emitter,
 * and throws those of a plugin as `PluginError`. Writes nothing in these cases.
 */
export async function generate(options: GenerateOptions = {}): Promise<GenerateResult> {
  const {
    target = packages,
    emitters = target === packages ? outputsHere : allEmitters,
    check = false,
    cwd = process.cwd(),
    onStep,
  } = options
  const outputEmitters = emitters.map((emitter) =>
    'kit' in emitter ? createPluginEmitter(emitter) : emitter,
  )
  const understood = await understand(options, outputEmitters)
  if ('status' in understood) return understood
  const { api, converted, document, ...found } = understood
  onStep?.(
    `understood ${formatCount(api.operations.length, 'operation')} and ${formatCount(api.schemas.length, 'schema')}`,
  )
  const rendered = await render(api, document, outputEmitters, target, onStep, converted)
  const outputs = hashFiles(rendered)
  const drift = await compare(cwd, outputs)
  if (!check) await write(cwd, rendered, drift)
  const status = isClean(drift) ? 'clean' : check ? 'drifted' : 'written'
  return { status, drift, operations: api.operations.length, outputs, ...found }
}

/** What the outputs are made from. */
type OutputSource = Pick<GenerateSuccess, 'inputs' | 'diagnostics' | 'leftOut'> & {
  readonly api: Api
  /** The same with the modes of dates and integers. */
  readonly converted: Api
  /** Only if an output reads it: it takes as much memory as the model. */
  readonly document: Document | undefined
}

async function understand(
  {
    spec = 'spec/openapi.yaml',
    allowRefs = false,
    strict = false,
    cwd = process.cwd(),
    input = {},
    selection = { include: [], exclude: [], prune: false },
    dates = 'text',
    int64 = 'number',
    onStep,
  }: GenerateOptions,
  emitters: readonly DocumentEmitter[],
): Promise<OutputSource | GenerateFailure> {
  const loaded = await loadDocument(spec, { ...input, cwd, allowRefs })
  if (loaded.document === undefined)
    return { status: 'faulty', diagnostics: loaded.diagnostics, inputs: [] }
  const { files, inputs } = loaded.document
  onStep?.(`read ${formatCount(files.length, 'file')}`)

  const { document: selected, diagnostics: selectionDiagnostics } = select(
    loaded.document,
    selection,
  )
  const loadDiagnostics =
    selected === loaded.document
      ? loaded.diagnostics
      : loaded.diagnostics.filter((diagnostic) => concerns(diagnostic, selected))
  if (hasErrors(selectionDiagnostics))
    return {
      status: 'faulty',
      diagnostics: [...loadDiagnostics, ...selectionDiagnostics],
      inputs,
    }
  const built = isolate(selected)
  const { api, document, leftOut } = built
  const documentDiagnostics = [
    ...loadDiagnostics,
    ...selectionDiagnostics,
    ...built.diagnostics.filter((diagnostic) => !isConsequence(diagnostic, loadDiagnostics)),
    ...findUnknownFields(selected),
  ]
  const all = [...documentDiagnostics, ...(api === undefined ? [] : findMisread(api, emitters))]
  const reported = strict ? toStrict(all) : all
  if (api === undefined || (strict && hasErrors(reported)))
    return { status: 'faulty', diagnostics: reported, inputs }
  const converted = convertValues(api, { dates, int64 })
  const isRead = emitters.some(({ readsDocument }) => readsDocument === true)
  return {
    api,
    converted: converted.api,
    document: isRead ? document : undefined,
    inputs,
    diagnostics: [
      ...all.map(toWarning),
      ...converted.diagnostics,
      ...validateExamples(api),
      ...findClosedParts(api),
    ],
    leftOut,
  }
}

/** Extensions of the document that an output cannot interpret. */
export function findMisread(api: Api, emitters: readonly DocumentEmitter[]): readonly Diagnostic[] {
  const { report, all } = collectDiagnostics()
  for (const emitter of emitters)
    for (const { origin, at, found, expected } of emitter.misread?.(api) ?? [])
      report(
        'FB4018',
        api.locate({ ...origin, pointer: pointerTo(origin.pointer, ...at) }),
        show(found),
        expected,
      )
  return all()
}

/** Whether a diagnostic of the whole document also applies to a selection from it. */
function concerns(
  { code, place: { file, pointer } }: Diagnostic,
  { broken, origin }: Document,
): boolean {
  if (isInstruction(code)) return true
  return broken
    .map(origin)
    .some((node) => node.file === file && `${pointer}/`.startsWith(`${node.pointer}/`))
}

/** Errors that only dropped a part become warnings. */
function toWarning({ code, place, found, expected }: Diagnostic): Diagnostic {
  return { code, severity: 'warning', place, found, expected }
}

/** Whether a diagnostic only follows from a broken reference at the same place. */
function isConsequence({ place }: Diagnostic, broken: readonly Diagnostic[]): boolean {
  return broken.some(
    ({ place: ref }) =>
      ref.file === place.file &&
      `${place.pointer}/`.startsWith(`${ref.pointer.replace(/\/\$ref$/, '')}/`),
  )
}

function formatCount(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

/**
 * Applies the modes of dates and bigints to a model, with a warning for each place that cannot be
 * converted.
 */
export function convertValues(
  model: Api,
  modes: ValueModes,
): { readonly api: Api; readonly diagnostics: readonly Diagnostic[] } {
  if (arePlain(modes)) return { api: model, diagnostics: [] }
  const { api, clashes } = applyModes(model, modes)
  const { report, all } = collectDiagnostics()
  for (const { schema, what } of clashes)
    report(
      'FB3015',
      api.locate(schema.notes.origin),
      what,
      'one place in which a value has it; it stays as JSON has it',
    )
  return { api, diagnostics: all() }
}
