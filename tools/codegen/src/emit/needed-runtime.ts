import type { Code, Import } from './code.js'

/** Hand-written modules of an output: their source by specifier (`./checks.js`). */
type RuntimeModules = ReadonlyMap<string, string>

/** What generated code needs of the runtime. */
export type RuntimeSelection = {
  /** Notes what a statement uses. */
  readonly use: (statement: Code) => void
  /**
   * The declarations that are used, directly or through others. A module without one is left out,
   * and one with an export list is kept whole.
   */
  readonly select: () => RuntimeModules
}

/**
 * Selects from these modules. Relies on the layout of the formatter: a declaration begins a line,
 * and its name follows its keyword.
 */
export function createRuntimeSelection(modules: RuntimeModules): RuntimeSelection {
  const parsed = new Map([...modules].map(([specifier, text]) => [specifier, readModule(text)]))
  const needed = new Map<string, Set<Piece>>()
  const includeName = (specifier: string, name: string): void => {
    const module = parsed.get(specifier)
    if (module === undefined) return
    const kept = needed.get(specifier) ?? new Set<Piece>()
    needed.set(specifier, kept)
    const pieces = module.pieces.filter(
      (piece) => !kept.has(piece) && (module.isWhole || piece.name === name),
    )
    for (const piece of pieces) kept.add(piece)
    for (const piece of pieces) {
      for (const word of piece.words) includeName(specifier, word)
      for (const line of module.imports)
        for (const target of listUsed(line, piece)) includeName(line.from, target)
    }
  }
  // many statements have the same import, as one object
  const seen = new Set<Import>()
  return {
    use: ({ text, imports }) => {
      for (const one of imports) {
        const { module, name, as } = one
        if (seen.has(one) || !modules.has(module)) continue
        if (name !== '*') {
          seen.add(one)
          includeName(module, name)
        } else
          for (const [, member = ''] of text.matchAll(new RegExp(`\\b${as}\\.(\\w+)`, 'g')))
            includeName(module, member)
      }
      for (const [module, name] of listReExported(text)) includeName(module, name)
    },
    select: () =>
      new Map(
        [...parsed].flatMap(([specifier, module]): [string, string][] => {
          const kept = needed.get(specifier)
          if (kept === undefined) return []
          if (module.isWhole) return [[specifier, modules.get(specifier) ?? '']]
          return kept.size === 0 ? [] : [[specifier, printModule(module, kept)]]
        }),
      ),
  }
}

/**
 * Runtime modules are in several folders, and those that an output copies are in one. Makes each
 * relative import name a file of the same folder.
 */
export function flattenImports(text: string): string {
  return text.replaceAll(/(?<= from ')\.\.\/(?:[^']*\/)?(?=[^'/]+')/g, './')
}

type Module = {
  readonly imports: readonly ImportLine[]
  readonly pieces: readonly Piece[]
  readonly isWhole: boolean
}

/** A top-level declaration with its comment, and its identifiers except parameters. */
type Piece = {
  readonly name: string
  readonly text: string
  readonly words: ReadonlySet<string>
  readonly members: ReadonlySet<string>
}

/** `import { a, type B } from`, or `import * as a from`: then `all` is the local name. */
type ImportLine = {
  readonly from: string
  readonly isType: boolean
  readonly all?: string
  readonly names: readonly string[]
}

const startOfPiece =
  /^(?:export |import |(?:async )?function\*? |class |const |let |type |interface |\/\*\*|\/\/)/
const declared = /^(?:export )?(?:(?:async )?function\*?|class|const|let|type|interface) (\w+)/m
const signature = /^(?:export )?(?:async )?function\*? \w+(?:<[^(]*>)?\(([^)]*)\)/m

/** By source: the documents of a run share the runtime. */
const known = new Map<string, Module>()

function readModule(text: string): Module {
  const module = known.get(text) ?? parseModule(text)
  known.set(text, module)
  return module
}

function parseModule(text: string): Module {
  const chunks: string[] = []
  for (const line of text.split(/(?<=\n)/)) {
    const last = chunks.at(-1)
    const isComment = last !== undefined && /^(?:\/\*\*(?:(?!\*\/)[^])*\*\/|\/\/.*)\s*$/.test(last)
    if (last === undefined || (startOfPiece.test(line) && !isComment)) chunks.push(line)
    else chunks[chunks.length - 1] = last + line
  }
  const isImport = (chunk: string): boolean => chunk.startsWith('import ')
  return {
    imports: chunks.filter(isImport).map(importLine),
    pieces: chunks.filter((chunk) => !isImport(chunk)).map(parsePiece),
    isWhole: /^export (?:\*|\{)/m.test(text),
  }
}

function parsePiece(text: string): Piece {
  const bare = text.replaceAll(/\/\*[^]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'/g, ' ')
  const words = new Set(
    bare.match(/(?<![\w$.]|(?<!\.\.)\.)[A-Za-z_$][\w$]*|(?<=\.\.\.)[A-Za-z_$][\w$]*/g),
  )
  const [, parameters = ''] = signature.exec(bare) ?? []
  for (const [, parameter = ''] of parameters.matchAll(/(\w+)\??:/g)) words.delete(parameter)
  return {
    name: declared.exec(bare.trimStart())?.[1] ?? '',
    text,
    words,
    members: new Set(bare.match(/\b\w+\.\w+/g)),
  }
}

function importLine(text: string): ImportLine {
  const from = /from '([^']+)'/.exec(text)?.[1] ?? ''
  const isType = text.startsWith('import type ')
  const all = /\* as (\w+)/.exec(text)?.[1]
  if (all !== undefined) return { from, isType, all, names: [] }
  const list = /\{([^}]*)\}/.exec(text)?.[1] ?? ''
  const names = list.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
  return { from, isType, names }
}

/** The names of the other module that a declaration uses. */
function listUsed({ all, names }: ImportLine, { words, members }: Piece): readonly string[] {
  if (all === undefined)
    return names.map((name) => name.replace(/^type /, '')).filter((name) => words.has(name))
  const prefix = `${all}.`
  const used = [...members]
    .filter((member) => member.startsWith(prefix))
    .map((member) => member.slice(prefix.length))
  return used.length === 0 && words.has(all) ? [''] : used
}

/** The names that a statement exports from another module. */
function* listReExported(text: string): Iterable<readonly [specifier: string, name: string]> {
  if (!text.includes("} from '")) return
  for (const [, list = '', module = ''] of text.matchAll(reExport))
    for (const [, name = ''] of list.matchAll(/(?:type )?(\w+)/g)) yield [module, name]
}

const reExport = /^export (?:type )?\{([^}]*)\} from '([^']+)'/gm

function printModule({ imports, pieces }: Module, kept: ReadonlySet<Piece>): string {
  const all = pieces.filter((piece) => kept.has(piece))
  const lines = imports.flatMap((line) => {
    const start = `import ${line.isType ? 'type ' : ''}`
    if (line.all !== undefined)
      return all.some(({ words }) => words.has(line.all ?? ''))
        ? [`${start}* as ${line.all} from '${line.from}'\n`]
        : []
    const names = line.names.filter((name) =>
      all.some(({ words }) => words.has(name.replace(/^type /, ''))),
    )
    return names.length === 0 ? [] : [`${start}{ ${names.join(', ')} } from '${line.from}'\n`]
  })
  const body = all.map(({ text }) => text.trim()).join('\n\n')
  return `${lines.length === 0 ? '' : `${lines.join('')}\n`}${body}\n`
}
