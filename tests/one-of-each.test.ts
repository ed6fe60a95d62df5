import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Node, SyntaxKind, type SourceFile } from 'ts-morph'
import { describe, expect, it } from 'vitest'
import { root, sourceAt, sourceOf } from './tree.js'

/** What is written once, and how a second one is recognised in the source. */
const kinds: Record<string, (file: SourceFile) => boolean> = {
  'a check for an object with named fields': (file) =>
    file
      .getDescendantsOfKind(SyntaxKind.TypePredicate)
      .some((predicate) => /Record<string, unknown>/.test(predicate.getText()) && predicate.getParent()?.getText().includes('isArray')),
  'a sleep': (file) =>
    file
      .getDescendantsOfKind(SyntaxKind.NewExpression)
      .some((made) => made.getExpression().getText() === 'Promise' && made.getText().includes('setTimeout')),
  'a send that calls fetch': (file) => file.getFunction('fetchSend') !== undefined,
  'a reader of the Date header': (file) => /\.get\('date'\)/i.test(file.getText()),
  'a loop that reads a body': (file) =>
    file.getDescendantsOfKind(SyntaxKind.CallExpression).some((call) => {
      const called = call.getExpression()
      return Node.isPropertyAccessExpression(called) && called.getName() === 'read' && isInLoop(call)
    }),
  'a body made of chunks': (file) =>
    file.getDescendantsOfKind(SyntaxKind.NewExpression).some((made) => made.getExpression().getText() === 'ReadableStream'),
  'a discarded body': (file) => /\bbody\?\.cancel\(/.test(file.getText()),
  'a file that is replaced by a link': (file) =>
    file.getImportDeclarations().some((one) => one.getNamedImports().some((name) => name.getName() === 'link')),
}

/**
 * Where each may stand. The packages for clients share `@farebox/middleware`, which imports no
 * other package. What the generator emits has to run without our packages, so each output has its
 * own.
 */
const homes: Record<string, { readonly folders: readonly string[]; readonly at: Partial<Record<string, readonly string[]>> }> = {
  'packages for clients': {
    folders: ['middleware', 'auth', 'retry', 'client', 'farebox', 'conformance', 'cli'].map((name) => `packages/${name}/src`),
    at: {
      'a check for an object with named fields': ['packages/middleware/src/is-record.ts'],
      'a sleep': ['packages/middleware/src/sleep.ts'],
      'a send that calls fetch': ['packages/middleware/src/fetch-send.ts'],
      'a reader of the Date header': ['packages/middleware/src/clock-offset.ts'],
      'a loop that reads a body': [
        // all of a body, chunk by chunk, into a file
        'packages/cli/src/output-file.ts',
        'packages/middleware/src/read-start.ts',
      ],
      'a body made of chunks': ['packages/middleware/src/with-body.ts'],
      'a file that is replaced by a link': ['packages/middleware/src/node/update-versions.ts'],
      'a discarded body': [
        'packages/middleware/src/discard.ts',
        // the command imports the SDK alone
        'packages/cli/src/commands/verify.ts',
      ],
    },
  },
  service: {
    folders: ['packages/service/src'],
    at: {
      'a check for an object with named fields': ['packages/service/src/platform/is-record.ts'],
      'a sleep': [
        'packages/service/src/platform/sleep.ts',
        // limits of time on a task
        'packages/service/src/domain/speech/speech-thread.ts',
        'packages/service/src/platform/within.ts',
        'packages/service/src/platform/workers/worker-pool.ts',
      ],
      'a reader of the Date header': ['packages/service/src/doctor/check-facilitator.ts'],
      'a body made of chunks': [
        // of work that is charged when it ends
        'packages/service/src/http/answer-stream.ts',
        // of parts in the database
        'packages/service/src/domain/replay/read-response.ts',
        // around another one, which is stored, or whose error is reported
        'packages/service/src/http/recorded.ts',
        'packages/service/src/http/unfailing.ts',
      ],
      'a discarded body': [
        'packages/service/src/platform/bounded-body.ts',
        // ends the work that makes it
        'packages/service/src/http/answer-work.ts',
      ],
      'a file that is replaced by a link': ['packages/service/src/platform/database/lock-folder.ts'],
    },
  },
  tools: {
    folders: readdirSync(join(root, 'tools'), { withFileTypes: true }).flatMap((one) =>
      one.isDirectory() ? [`tools/${one.name}/src`] : [],
    ),
    at: {
      'a sleep': [
        // a limit of time on a response
        'tools/faults/src/send.ts',
      ],
      'a discarded body': ['tools/codegen/src/document/read-input.ts'],
    },
  },
  'emitted client': {
    folders: ['tools/codegen/runtime/client'],
    at: {
      'a check for an object with named fields': ['tools/codegen/runtime/client/text.ts'],
      'a send that calls fetch': ['tools/codegen/runtime/client/fetch-send.ts'],
      'a loop that reads a body': [
        // files into the body of a request
        'tools/codegen/runtime/client/multipart.ts',
        'tools/codegen/runtime/client/part-bytes.ts',
        'tools/codegen/runtime/client/read-body.ts',
        // item by item
        'tools/codegen/runtime/client/stream.ts',
      ],
      'a body made of chunks': [
        'tools/codegen/runtime/client/encode-items.ts',
        'tools/codegen/runtime/client/multipart.ts',
        'tools/codegen/runtime/client/part-bytes.ts',
      ],
      'a sleep': ['tools/codegen/runtime/client/resumed.ts'],
      // the emitted error names the body that it drops
      'a discarded body': ['tools/codegen/runtime/client/decode.ts'],
    },
  },
  'emitted server': {
    folders: ['tools/codegen/runtime/server'],
    at: {
      'a loop that reads a body': ['tools/codegen/runtime/server/read-body.ts'],
      'a body made of chunks': ['tools/codegen/runtime/server/write-items.ts'],
    },
  },
  'emitted validators': {
    folders: ['tools/codegen/runtime/zod'],
    at: { 'a check for an object with named fields': ['tools/codegen/runtime/zod/checks.ts'] },
  },
  'emitted arbitraries': {
    folders: ['tools/codegen/runtime/arbitraries'],
    at: { 'a check for an object with named fields': ['tools/codegen/runtime/arbitraries/node.ts'] },
  },
}

describe('one of each', () => {
  for (const [home, { folders, at }] of Object.entries(homes)) {
    const files = folders.flatMap(sourcesIn)
    it.each(Object.keys(kinds))(`in the ${home}: %s`, (kind) => {
      expect(files.length).toBeGreaterThan(3)
      const found = files.filter((file) => kinds[kind]?.(file)).map((file) => relative(root, file.getFilePath()))
      expect(found.filter((file) => !at[kind]?.includes(file))).toEqual([])
    })
  }

  it.each([
    [
      'a check for an object with named fields',
      'const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && !Array.isArray(value)',
    ],
    ['a sleep', 'const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))'],
    ['a reader of the Date header', "const date = (headers: Headers) => Date.parse(headers.get('Date') ?? '')"],
    ['a loop that reads a body', 'async function all(reader: Reader) { for (;;) if ((await reader.read()).done) return }'],
    ['a body made of chunks', 'const body = new ReadableStream({ pull })'],
    ['a discarded body', 'const drop = async (response: Response) => response.body?.cancel()'],
  ])('a second one is recognised: %s', (kind, source) => {
    expect(kinds[kind]?.(sourceOf('second.ts', source))).toBe(true)
  })
})

function isInLoop(call: Node): boolean {
  return call.getAncestors().some((one) => Node.isForStatement(one) || Node.isWhileStatement(one) || Node.isDoStatement(one))
}

function sourcesIn(folder: string): readonly SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(test|test-d)\.ts$|generated\//.test(name))
    .toSorted()
    .map((name) => sourceAt(join(folder, name)))
}
