import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import { sampleCases } from '../../internal/testing/src/rounds.js'
import { describe, expect, it } from 'vitest'
import { withFiles } from '../test/documents.js'
import { generate } from './pipeline/generate.js'
import { folder } from './pipeline/target.js'

/** Text that would be code if it got out of its literal, comment or template. */
const payloads = [
  '*/ export const injected = 1 /*',
  "'; export const injected = 1; '",
  '"; export const injected = 1; "',
  '`; export const injected = 1; `',
  '${injected}',
  '\n export const injected = 1 //',
  '\u2028export const injected = 1',
  '\\',
  '</script><script>injected()</script>',
  '[injected] x',
  '__proto__',
]

function createHostileDocument(text: string): unknown {
  const schema = {
    title: text,
    description: text,
    type: 'object',
    properties: {
      [text]: { type: 'string', description: text, default: text, enum: [text], example: text },
      pattern: { type: 'string', pattern: text.replaceAll(/[[\](){}\\*?+|$^]/g, '\\$&') },
    },
    required: [text],
  }
  return {
    openapi: '3.1.0',
    info: { title: text, version: text, description: text },
    servers: [{ url: text, description: text }],
    'x-table': { [text]: text },
    paths: {
      [`/a${text.replaceAll(/[{}]/g, '')}`]: {
        post: {
          operationId: text,
          summary: text,
          description: text,
          tags: [text],
          [`x-${text}`]: text,
          security: [{ [text]: [] }],
          parameters: [
            { name: text, in: 'query', description: text, schema: { type: 'string', const: text } },
            { name: `x-${text}`, in: 'header', schema: { type: 'string', default: text } },
          ],
          requestBody: {
            description: text,
            content: {
              [`application/json;a=${text}`]: {
                schema: { $ref: '#/components/schemas/Subject' },
                example: text,
              },
            },
          },
          responses: {
            200: {
              description: text,
              headers: { [text]: { schema: { type: 'string' } } },
              content: { [text]: { schema } },
            },
          },
        },
      },
    },
    components: {
      schemas: { [text]: schema, Subject: schema },
      securitySchemes: { [text]: { type: 'apiKey', in: 'header', name: text } },
    },
  }
}

/**
 * The names that the code declares or uses, comments and literals left out. Names of properties run
 * nothing: those for hosts of MCP consist of words of the document.
 */
function listIdentifiers(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text)
    if (ts.isPropertyAssignment(node)) visit(node.initializer)
    else ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('a.ts', text, ts.ScriptTarget.ES2022))
  return names
}

describe('text of a document', () => {
  it.each(sampleCases(payloads))('%j stays within its literal or comment', async (payload) => {
    await withFiles(
      { 'openapi.json': JSON.stringify(createHostileDocument(payload)) },
      async (cwd) => {
        const result = await generate({
          spec: 'openapi.json',
          cwd,
          target: folder('out', `farebox-codegen --spec ${payload}`),
        })
        expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
        if (result.status !== 'written')
          throw new Error(`The output was not written: ${result.status}.`)
        for (const path of result.drift.missing.filter((one) => one.endsWith('.ts'))) {
          const identifiers = [...listIdentifiers(await readFile(join(cwd, path), 'utf8'))]
          expect(identifiers.filter((name) => name === 'injected')).toEqual([])
        }
      },
    )
  })
})
