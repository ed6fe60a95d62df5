import {
  Node,
  SyntaxKind,
  TypeFormatFlags,
  ts,
  type ClassDeclaration,
  type ExportedDeclarations,
  type SourceFile,
} from 'ts-morph'

/** An exported name with its declarations. */
type ExportedSymbol = {
  readonly name: string
  readonly declarations: readonly ExportedDeclarations[]
}

const longestType = 700
const longestDeclaration = 6000
const fewGenerated = 12
const fewShared = 12

/** Another entry point of the package, and the address of its page. */
export type OtherEntry = {
  readonly specifier: string
  readonly file: SourceFile
  readonly address: string
}

/** The exports of an entry point in Markdown. `types` is set if they need a second page. */
type EntrySection = { readonly main: string; readonly types?: string }

/** Longer sections are split into two pages. */
const longestSection = 24_000

/**
 * Prints the exports of an entry point in Markdown: the source of each declaration with its comment.
 * Exports shared with a later entry point are listed there, if they are many.
 */
export function createEntrySection(
  specifier: string,
  file: SourceFile,
  later: readonly OtherEntry[] = [],
): EntrySection {
  const all = listExports(file)
  const owners = later
    .map((other) => ({ other, shared: findShared(all, other) }))
    .filter(({ shared }) => shared.length > fewShared)
  const exported = all.filter((one) => !owners.some(({ shared }) => shared.includes(one)))
  const generated = exported.filter(isGenerated)
  const byHand = exported.filter((one) => !isGenerated(one))
  // a long list of generated exports is printed without declarations: the pages of the contract
  // describe them
  const isLong = generated.length > fewGenerated
  const items = (isLong ? byHand : exported).map((one) => ({
    isType: isType(one),
    text: printExport(one),
  }))
  const rest = [
    ...(isLong ? [`### Generated from the contract\n\n${generated.map(printRow).join('\n')}`] : []),
    ...owners.map(
      ({ other, shared }) =>
        `### Also in ${other.specifier}\n\n[Its page](${other.address}) shows them.\n\n${shared.map(printRow).join('\n')}`,
    ),
  ]
  const page = (title: string, texts: readonly string[]): string =>
    [`## ${title}`, ...texts].join('\n\n')
  const main = page(`What ${specifier} exports`, [...items.map(({ text }) => text), ...rest])
  if (main.length <= longestSection) return { main }
  const [values, types] = [false, true].map((isType) =>
    items.filter((one) => one.isType === isType).map(({ text }) => text),
  )
  return {
    main: page(`Functions and classes of ${specifier}`, [...(values ?? []), ...rest]),
    types: page(`Types of ${specifier}`, types ?? []),
  }
}

function isType({ declarations }: ExportedSymbol): boolean {
  return declarations.every(
    (one) => Node.isTypeAliasDeclaration(one) || Node.isInterfaceDeclaration(one),
  )
}

function listExports(file: SourceFile): readonly ExportedSymbol[] {
  return [...file.getExportedDeclarations()].map(([name, declarations]) => ({ name, declarations }))
}

function findShared(
  exported: readonly ExportedSymbol[],
  { file }: OtherEntry,
): readonly ExportedSymbol[] {
  const known = new Set(listExports(file).map(({ declarations }) => declarations[0]))
  return exported.filter(({ declarations }) => known.has(declarations[0]))
}

function printExport(one: ExportedSymbol): string {
  const text = printDeclarations(one)
  const comment = readComment(one)
  return [
    `### \`${one.name}\``,
    ...(comment === '' ? [] : [comment]),
    ...(text === '' ? [] : [`\`\`\`ts\n${text}\n\`\`\``]),
  ].join('\n\n')
}

function printRow(one: ExportedSymbol): string {
  const comment = takeFirstSentence(readComment(one))
  return `- \`${one.name}\`${comment === '' ? '' : `: ${comment}`}`
}

/** Prints types in full, and functions and classes without bodies. */
function printDeclarations({ declarations }: ExportedSymbol): string {
  return declarations
    .flatMap((declaration): readonly string[] => {
      if (Node.isFunctionDeclaration(declaration)) {
        // the implementation of overloads is not public
        const body = declaration.getBody()
        if (body !== undefined && declarations.length > 1) return []
        return [sliceText(declaration, body)]
      }
      if (Node.isClassDeclaration(declaration)) return [printClass(declaration)]
      if (Node.isVariableDeclaration(declaration)) {
        const type = declaration.getType().getText(declaration, TypeFormatFlags.NoTruncation)
        return [
          `const ${declaration.getName()}: ${type.length > longestType ? `${type.slice(0, longestType)} …` : type}`,
        ]
      }
      if (Node.isTypeAliasDeclaration(declaration) || Node.isInterfaceDeclaration(declaration))
        return [declaration.getText()]
      return []
    })
    .map((text) => text.replaceAll(/^export /gm, ''))
    .join('\n')
    .slice(0, longestDeclaration)
}

function printClass(declaration: ClassDeclaration): string {
  const brace = declaration.getFirstChildByKindOrThrow(SyntaxKind.OpenBraceToken)
  const members = declaration.getMembers().map((member) => {
    const comments = Node.isJSDocable(member)
      ? member.getJsDocs().map((doc) => `  ${doc.getText()}\n`)
      : []
    return `${comments.join('')}  ${sliceText(member, Node.isBodyable(member) || Node.isBodied(member) ? member.getBody() : undefined)}`
  })
  return `${sliceText(declaration, brace)} {\n${members.join('\n')}\n}`
}

/** The text of a node without its comments, up to one of its parts. */
function sliceText(node: Node, part: Node | undefined): string {
  return node
    .getSourceFile()
    .getFullText()
    .slice(node.getStart(), part?.getStart() ?? node.getEnd())
    .trim()
}

/** Comments are Markdown without HTML. */
function readComment({ declarations }: ExportedSymbol): string {
  const parts = declarations[0]?.getSymbol()?.compilerSymbol.getDocumentationComment(undefined)
  return ts
    .displayPartsToString(parts)
    .replaceAll(/`[^`]*`|</g, (match) => (match === '<' ? '&lt;' : match))
}

function isGenerated({ declarations }: ExportedSymbol): boolean {
  return declarations[0]?.getSourceFile().getFilePath().includes('/generated/') ?? false
}

/** The first sentence of a text, in one line. */
export function takeFirstSentence(text: string): string {
  return text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/^(.{20,}?[.:])\s.*$/, '$1')
    .replace(/:$/, '.')
}
