import type { Change } from '@farebox/spec-diff'
import ts from 'typescript'
import { createTouch, isOwn, type Touch } from '../find/find-impact.js'
import { isGenerated } from '../code/generated-code.js'
import { createHost } from '../find/read-input.js'
import type { Target } from '../find/targets.js'
import { applyEdits, type Edit } from './edit.js'
import type { RenamesByChange } from './renames.js'

type Code = {
  readonly targets: readonly Target[]
  readonly renames: RenamesByChange
  readonly program: ts.Program
}

/** A generated property that is renamed or removed in the newer code. */
type MovedProperty = {
  readonly change: Change
  readonly declaration: ts.Declaration
  readonly to: string
}

/**
 * The places that do not compile after the edits although no change names them: where an object of
 * the consumer refers to a renamed or removed property by the same name. The compiler reads the
 * edited files beside the generated code with its properties renamed.
 */
export function findBroken(
  edits: readonly Edit[],
  { targets, renames, program }: Code,
): readonly Touch[] {
  const moved = targets.flatMap((target) => findMoved(target, renames))
  const [first] = moved
  if (first === undefined) return []
  const names = new Set(moved.flatMap(({ declaration, to }) => [readMemberName(declaration), to]))
  const isNamed = (text: string) => [...names].some((name) => text.includes(name))
  const files = program
    .getSourceFiles()
    .filter((file) => isOwn(file, program) && !isGenerated(file) && isNamed(file.text))
  const texts = new Map([
    ...collectTexts(moved),
    ...files.map(({ fileName, text }): [string, string] => [
      fileName,
      applyEdits(
        text,
        edits.filter(({ file }) => file === fileName),
      ),
    ]),
  ])
  const edited = readEdited(program, texts)
  return files.flatMap((file) => {
    const known = new Set(program.getSemanticDiagnostics(file).map(describe))
    return edited
      .getSemanticDiagnostics(edited.getSourceFile(file.fileName))
      .filter((one) => !known.has(describe(one)) && isNamed(describe(one)))
      .map(({ start = 0 }) => {
        const own = edits.filter((edit) => edit.file === file.fileName)
        const node = findToken(file, toOriginalPosition(start, own))
        const text = node.getText(file)
        const cause = moved.find(({ declaration, to }) =>
          [readMemberName(declaration), to].some((name) => text.includes(name)),
        )
        return createTouch(node, (cause ?? first).change, true)
      })
  })
}

const removals = new Set<Change['code']>(['request-property-removed', 'response-property-removed'])

function findMoved(
  { change, properties }: Target,
  renames: RenamesByChange,
): readonly MovedProperty[] {
  if (!removals.has(change.code)) return []
  const names = renames.names(change)
  return [...properties].map((declaration) => {
    const name = readMemberName(declaration)
    return { change, declaration, to: names.get(name) ?? `${name} is gone` }
  })
}

function readMemberName(declaration: ts.Declaration): string {
  const name = ts.getNameOfDeclaration(declaration)
  return name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteralLike(name))
    ? name.text
    : ''
}

/** The generated files with the newer names of their properties. */
function collectTexts(moved: readonly MovedProperty[]): ReadonlyMap<string, string> {
  const spans = new Map<ts.SourceFile, Map<number, { end: number; text: string }>>()
  for (const { declaration, to } of moved) {
    const name = ts.getNameOfDeclaration(declaration)
    if (name === undefined) continue
    const file = declaration.getSourceFile()
    const own = spans.get(file) ?? new Map<number, { end: number; text: string }>()
    spans.set(file, own.set(name.getStart(), { end: name.getEnd(), text: JSON.stringify(to) }))
  }
  return new Map(
    [...spans].map(([file, own]) => {
      let [text, done] = ['', 0]
      for (const [start, { end, text: name }] of [...own].toSorted(([a], [b]) => a - b)) {
        text += file.text.slice(done, start) + name
        done = end
      }
      return [file.fileName, text + file.text.slice(done)]
    }),
  )
}

/** The program with other contents of some files. */
function readEdited(program: ts.Program, texts: ReadonlyMap<string, string>): ts.Program {
  const options = program.getCompilerOptions()
  const host = createHost(options)
  return ts.createProgram({
    rootNames: program.getRootFileNames(),
    options,
    host: {
      ...host,
      fileExists: (name) => program.getSourceFile(name) !== undefined || host.fileExists(name),
      getSourceFile: (name, ...rest) => {
        const text = texts.get(name)
        const known = program.getSourceFile(name)
        if (text === undefined) return known ?? host.getSourceFile(name, ...rest)
        return ts.createSourceFile(
          name,
          text,
          known?.languageVersion ?? ts.ScriptTarget.Latest,
          true,
        )
      },
    },
  })
}

function describe({ code, messageText }: ts.Diagnostic): string {
  return `${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
}

/** Where a position of the edited file was before. */
function toOriginalPosition(position: number, edits: readonly Edit[]): number {
  let shift = 0
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    if (start + shift > position) break
    if (position < start + shift + text.length) return start
    shift += text.length - (end - start)
  }
  return position - shift
}

function findToken(file: ts.SourceFile, position: number): ts.Node {
  const find = (node: ts.Node): ts.Node =>
    ts.forEachChild(node, (child) =>
      child.getStart(file) <= position && position < child.getEnd() ? find(child) : undefined,
    ) ?? node
  return find(file)
}
