import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { libraryDeclarationsOf } from '../../test/library-declarations.js'
import { declarationsOf } from './declarations.js'
import { loadDocument } from './load.js'

const examples = dirname(createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'))

const ours = fileURLToPath(new URL('../../../../spec/openapi.yaml', import.meta.url))

const documents = ['3.0', '3.1'].flatMap((version) =>
  ['json', 'yaml'].flatMap((format) =>
    readdirSync(join(examples, version, format))
      .filter((name) => name.endsWith(`.${format}`))
      .map((name) => join(examples, version, format, name)),
  ),
)

/**
 * Every declaration as TypeScript reads it: layout and brackets left out, and our own names for
 * types replaced by what they stand for.
 */
function structure(text: string): readonly string[] {
  const file = ts.createSourceFile('a.ts', text, ts.ScriptTarget.ESNext)
  const printer = ts.createPrinter({ removeComments: true })
  const lines = ts
    .transform(file, [withoutShorthands, stripped])
    .transformed.map((one) => printer.printFile(one))
    .join('\n')
  return lines.split('\n').map((line) => line.trim())
}

/** Names that are not exported and take nothing: what they stand for stands in their place. */
const withoutShorthands: ts.TransformerFactory<ts.SourceFile> = (context) => (file) => {
  const isShorthand = (node: ts.Node): node is ts.TypeAliasDeclaration =>
    ts.isTypeAliasDeclaration(node) && node.modifiers === undefined && node.typeParameters === undefined
  const meanings = new Map(file.statements.filter(isShorthand).map(({ name, type }) => [name.text, type]))
  const visit = (node: ts.Node): ts.Node => {
    const meaning = ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName) ? meanings.get(node.typeName.text) : undefined
    return meaning ?? ts.visitEachChild(node, visit, context)
  }
  const others = file.statements.filter((statement) => !isShorthand(statement))
  return ts.visitNode(ts.factory.updateSourceFile(file, others), visit, ts.isSourceFile)
}

const stripped: ts.TransformerFactory<ts.SourceFile> = (context) => (file) => {
  const visit = (node: ts.Node): ts.Node => {
    const visited = ts.visitEachChild(node, visit, context)
    if (ts.isParenthesizedTypeNode(visited)) return visited.type
    if (ts.isStringLiteral(visited)) return ts.factory.createStringLiteral(visited.text)
    return visited
  }
  return ts.visitNode(file, visit, ts.isSourceFile)
}

/** What the comments say, one line after another. */
function comments(text: string): readonly string[] {
  return [...text.matchAll(/^ *(\/\*\*.*|\* .*)$/gm)].map(([line]) => line.replace(/^[\s/*]+|[\s*/]+$/g, '').trim())
}

describe('declarationsOf', () => {
  it.each([...documents, ours])('says of %s what openapi-typescript says', async (path) => {
    const { document } = await loadDocument(path, { cwd: dirname(path) })
    if (document === undefined) return
    const text = declarationsOf(document).join('\n\n')
    const reference = libraryDeclarationsOf(document)
    expect(structure(text)).toEqual(structure(reference))
    expect(comments(text)).toEqual(comments(reference))
  })
})
