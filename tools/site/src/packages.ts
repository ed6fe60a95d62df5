// A page for each package: its README, then what each of its entry points exports, from the declarations and their doc comments.
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = join(fileURLToPath(new URL('.', import.meta.url)), '../../..')

/** In the order of the sidebar, each with its folder. */
const packages = [
  ['farebox', 'packages/farebox'],
  ...['client', 'auth', 'retry', 'middleware', 'types', 'zod', 'arbitraries', 'mcp', 'service'].map((name) => [
    `@farebox/${name}`,
    `packages/${name}`,
  ]),
  ['@farebox/codegen', 'tools/codegen'],
  ['@farebox/spec-diff', 'tools/spec-diff'],
]

/** A page for each package: its name within the site, and its Markdown. */
export function packagePages() {
  const described = packages.map(([name, folder]) => describe(name, folder))
  // one program for all of them: most of what they read is the same
  const program = ts.createProgram(
    described.flatMap(({ entries }) => entries.map(({ file }) => file)),
    {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      customConditions: ['@farebox/source'],
      skipLibCheck: true,
      strict: true,
      noEmit: true,
    },
  )
  return described.flatMap((one, order) => [
    { slug: slugOf(one.name), markdown: readmePage(one, order) },
    ...one.entries.map((entry, index) => ({
      slug: entrySlug(one, entry),
      markdown: entryPage(one, entry, order + (index + 1) / 10, program),
    })),
  ])
}

/** @param {string} name @param {string} folder */
function describe(name, folder) {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const readme = readFileSync(join(root, folder, 'README.md'), 'utf8').replace(/^# .*\n/, '')
  const entries = Object.entries(manifest.exports).flatMap(([key, conditions]) => {
    const source = typeof conditions === 'object' ? conditions['@farebox/source'] : undefined
    return source === undefined || !existsSync(join(root, folder, source))
      ? []
      : [{ specifier: name + key.slice(1), file: join(root, folder, source) }]
  })
  return { name, readme, entries, description: firstSentence(manifest.description ?? readme) }
}

/** @param {ReturnType<typeof describe>} one @param {number} order */
function readmePage({ name, readme, entries, description }, order) {
  const exported = entries.map((entry) => `[\`${entry.specifier}\`](/packages/${entrySlug({ name }, entry)}/)`)
  return [
    ...frontMatter(name, description, order),
    withoutRelativeLinks(readme),
    `## Exports\n\nWhat each entry point exports: ${exported.join(', ')}.`,
    '',
  ].join('\n')
}

/** @param {ReturnType<typeof describe>} one @param {{ specifier: string, file: string }} entry @param {number} order @param {ts.Program} program */
function entryPage({ name }, entry, order, program) {
  const title = entry.specifier === name ? `Exports of ${name}` : entry.specifier
  return [...frontMatter(title, `What ${entry.specifier} exports.`, order), entrySection(entry, program), ''].join('\n')
}

/** @param {string} title @param {string} description @param {number} order */
function frontMatter(title, description, order) {
  const lines = [
    `title: ${JSON.stringify(title)}`,
    `description: ${JSON.stringify(description)}`,
    `sidebar: { order: ${order} }`,
    'editUrl: false',
  ]
  return ['---', ...lines, '---']
}

/** @param {string} specifier */
function slugOf(specifier) {
  return specifier.replace('@farebox/', '').replaceAll('/', '-')
}

/** The main entry point has the package's own name. @param {{ name: string }} one @param {{ specifier: string }} entry */
function entrySlug({ name }, { specifier }) {
  return specifier === name ? `${slugOf(name)}-exports` : slugOf(specifier)
}

/** @param {{ specifier: string, file: string }} entry @param {ts.Program} program */
function entrySection({ specifier, file }, program) {
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) ?? fail(`${file} is no source file`))
  const symbols = checker
    .getExportsOfModule(module ?? fail(`${file} exports nothing`))
    .map((symbol) => ({ name: symbol.name, symbol: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol }))
  const generated = symbols.filter(({ symbol }) => isGenerated(symbol))
  const byHand = symbols.filter(({ symbol }) => !isGenerated(symbol))
  // data and aliases that follow from the contract are a list: the contract's own pages describe them
  const listed = generated.length > 12 ? generated : []
  const shown = generated.length > 12 ? byHand : symbols
  return [
    `## What ${specifier} exports`,
    ...shown.map(({ name, symbol }) => item(name, symbol, checker)),
    ...(listed.length === 0
      ? []
      : [`### Generated from the contract\n\n${listed.map(({ name, symbol }) => row(name, symbol, checker)).join('\n')}`]),
  ].join('\n\n')
}

/** @param {string} name @param {ts.Symbol} symbol @param {ts.TypeChecker} checker */
function item(name, symbol, checker) {
  const text = declarationText(symbol, checker)
  const comment = commentOf(symbol, checker)
  return [`### \`${name}\``, ...(comment === '' ? [] : [comment]), ...(text === '' ? [] : [`\`\`\`ts\n${text}\n\`\`\``])].join('\n\n')
}

/** @param {string} name @param {ts.Symbol} symbol @param {ts.TypeChecker} checker */
function row(name, symbol, checker) {
  const comment = firstSentence(commentOf(symbol, checker))
  return `- \`${name}\`${comment === '' ? '' : `: ${comment}`}`
}

/** How it is declared: types whole, functions and classes without their bodies. @param {ts.Symbol} symbol @param {ts.TypeChecker} checker */
function declarationText(symbol, checker) {
  const texts = (symbol.declarations ?? []).flatMap((declaration) => {
    if (ts.isFunctionDeclaration(declaration)) {
      // of overloads, the implementation is nobody's business
      if (declaration.body && (symbol.declarations ?? []).length > 1) return []
      const end = declaration.body === undefined ? declaration.getEnd() : declaration.body.getStart()
      return [declaration.getSourceFile().text.slice(declaration.getStart(), end).trim()]
    }
    if (ts.isClassDeclaration(declaration)) return [classText(declaration)]
    if (ts.isVariableDeclaration(declaration)) {
      const type = checker.typeToString(
        checker.getTypeOfSymbolAtLocation(symbol, declaration),
        declaration,
        ts.TypeFormatFlags.NoTruncation,
      )
      return [`const ${symbol.name}: ${type.length > 700 ? `${type.slice(0, 700)} …` : type}`]
    }
    if (ts.isTypeAliasDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) return [declaration.getText()]
    return []
  })
  return texts
    .map((text) => text.replaceAll(/^export /gm, ''))
    .join('\n')
    .slice(0, 6000)
}

/** @param {ts.ClassDeclaration} declaration */
function classText(declaration) {
  const source = declaration.getSourceFile().text
  const head = source.slice(declaration.getStart(), declaration.members.pos).trim()
  const members = declaration.members.map((member) => {
    const body = 'body' in member ? /** @type {ts.Node | undefined} */ (member.body) : undefined
    const comments = ts.getJSDocCommentsAndTags(member).map((comment) => `  ${comment.getText()}\n`)
    return `${comments.join('')}  ${source.slice(member.getStart(), body?.getStart() ?? member.getEnd()).trim()}`
  })
  return `${head}\n${members.join('\n')}\n}`
}

/** @param {ts.Symbol} symbol @param {ts.TypeChecker} checker */
function commentOf(symbol, checker) {
  return escapeHtml(ts.displayPartsToString(symbol.getDocumentationComment(checker)))
}

/** @param {ts.Symbol} symbol */
function isGenerated(symbol) {
  return symbol.declarations?.[0]?.getSourceFile().fileName.includes('/generated/') ?? false
}

/** Comments are Markdown, and hold no HTML. @param {string} text */
function escapeHtml(text) {
  return text.replaceAll(/`[^`]*`|</g, (found) => (found === '<' ? '&lt;' : found))
}

/** @param {string} text */
function firstSentence(text) {
  return text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/^(.{20,}?[.:])\s.*$/, '$1')
    .replace(/:$/, '.')
}

/** Files of the repository are not part of the site. @param {string} text */
function withoutRelativeLinks(text) {
  return text.replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g, '$1')
}

/** @param {string} message @returns {never} */
function fail(message) {
  throw new Error(relative(root, message))
}
