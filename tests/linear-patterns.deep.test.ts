import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkSync } from 'recheck'
import { SyntaxKind } from 'ts-morph'
import { beforeAll, describe, expect, it } from 'vitest'
import { root, readSource } from './tree.js'

/** Code that reads what strangers send. */
const folders = [
  'packages/service/src',
  'packages/local-backends/src',
  'packages/office-text/src',
  'packages/auth/src/verify',
]
const files = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
  .concat('packages/auth/src/encoding.ts')
  .filter((file) => file.endsWith('.ts') && !/\.test(?:-d)?\.ts$|\/generated\//.test(file))

type Pattern = { readonly file: string; readonly source: string; readonly flags: string }

/** Those that are written down. */
const written = files.flatMap((file) =>
  readSource(file)
    .getDescendantsOfKind(SyntaxKind.RegularExpressionLiteral)
    .map((literal): Pattern => {
      const text = literal.getText()
      const end = text.lastIndexOf('/')
      return { file, source: text.slice(1, end), flags: text.slice(end + 1) }
    }),
)

/** The files in which others are put together. */
const composing = files.filter((file) =>
  [SyntaxKind.NewExpression, SyntaxKind.CallExpression].some((kind) =>
    readSource(file)
      .getDescendantsOfKind(kind as SyntaxKind.NewExpression | SyntaxKind.CallExpression)
      .some((made) => made.getExpression().getText() === 'RegExp'),
  ),
)

/** What `RegExp` is given while such a file loads. */
async function recordPatterns(file: string): Promise<Pattern[]> {
  const found: Pattern[] = []
  const Plain = globalThis.RegExp
  globalThis.RegExp = new Proxy(Plain, {
    construct(target, [source, flags = '']: [string | RegExp, string?]) {
      if (typeof source === 'string') found.push({ file, source, flags })
      return new target(source, flags)
    },
  })
  try {
    // a query makes it load again, where another file of this worker has loaded it
    await import(`${pathToFileURL(join(root, file)).href}?measured`)
  } finally {
    globalThis.RegExp = Plain
  }
  return found
}

/**
 * Super-linear matching of a pattern, or nothing. No limit of time, so that a slow machine finds
 * the same.
 */
function findExcess({ source, flags }: Pattern): string | undefined {
  const found = checkSync(source, flags, {
    timeout: null,
    attackTimeout: null,
    incubationTimeout: null,
  })
  if (found.status === 'safe') return undefined
  return found.status === 'vulnerable' ? found.complexity.summary : 'unknown'
}

describe('a regular expression for untrusted input', () => {
  beforeAll(() => {
    // in this thread: the other engines are a Java archive, binaries, and a thread whose responses
    // may be missed on a busy machine
    process.env['RECHECK_SYNC_BACKEND'] = 'pure'
  })

  it('takes linear time', async () => {
    const composed = (await Promise.all(composing.map(recordPatterns))).flat()
    const patterns = new Map(
      [...written, ...composed].map((pattern) => [`/${pattern.source}/${pattern.flags}`, pattern]),
    )
    expect(composed.length).toBeGreaterThan(2)
    expect(patterns.size).toBeGreaterThan(60)
    const excesses = [...patterns].map(
      ([text, pattern]) => `${findExcess(pattern) ?? 'linear'}: ${text} in ${pattern.file}`,
    )
    expect(excesses.filter((line) => !line.startsWith('linear: '))).toEqual([])
  })

  it.each(['"[^"]*"|\\[[^\\]]*\\]', '\\/+$', '^(?:a+)+$'])(
    'is reported if it does not: /%s/',
    (source) => {
      expect(findExcess({ file: '', source, flags: 'g' })).toMatch(/polynomial|exponential/)
    },
  )
})
