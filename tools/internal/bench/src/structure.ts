import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createFarebox } from 'farebox'
import { createService } from '@farebox/service'
import { generateZod, writeDocument } from './bundled.js'
import { computeMedian, root, showTable } from './measure.js'

/**
 * The most files and functions of ours that a call may run through, and how the source files may be
 * cut.
 */
const targets = {
  'createSpeech, SDK': { files: 25, functions: 70 },
  'parseText, service': { files: 35, functions: 130 },
  'types and zod, generator': { files: 60, functions: Infinity },
}
const maxFiles = 900
const medianLines = [70, 110] as const

/**
 * How many files and functions of ours a reader meets on the way of one warm call, by the precise
 * coverage of V8, and how the hand-written source is cut into files.
 */
export async function benchmarkStructure(): Promise<void> {
  const rows = {
    'createSpeech, SDK': await measureCoverage(await createSpeechCall()),
    'parseText, service': await measureCoverage(await createParseCall()),
    'types and zod, generator': await measureCoverage(generateOnce),
  }
  showTable(
    Object.fromEntries(
      Object.entries(rows).map(([name, found]) => {
        const { files, functions } = targets[name as keyof typeof targets]
        return [
          name,
          {
            ...found,
            'most files': files,
            'most functions': functions === Infinity ? '-' : functions,
          },
        ]
      }),
    ),
    false,
  )
  const lines = countSourceLines()
  console.log(
    `${lines.length} hand-written source files outside tests (at most ${maxFiles}), with a median of ${computeMedian(lines)} lines (${medianLines.join(' to ')}).`,
  )
}

async function createSpeechCall() {
  const fetch = async () =>
    new Response(new Uint8Array(8), {
      headers: { 'content-type': 'audio/mpeg', 'x-request-id': 'r' },
    })
  const farebox = createFarebox({ baseUrl: 'http://127.0.0.1:1/api/v1', apiKey: 'KEY', fetch })
  return async () => void (await farebox.createSpeech({ input: 'Hello' }))
}

async function createParseCall() {
  const key = 'a-long-random-key-of-the-benchmark'
  const origin = 'http://127.0.0.1:4020'
  const service = await createService({ origin, adminKey: key })
  const call = async () => {
    const body = new FormData()
    body.set('file', new File(['Tram fares'], 'a.txt', { type: 'text/plain' }))
    const init = { method: 'POST', body, headers: { authorization: `Bearer ${key}` } }
    const response = await service.fetch(new Request(`${origin}/api/v1/augment/text-parser`, init))
    if (!response.ok) throw new Error(`parseText: ${response.status} ${await response.text()}`)
    await response.arrayBuffer()
  }
  return Object.assign(call, { end: service.close })
}

const document = {
  openapi: '3.1.0',
  info: { title: 'Fares', version: '1' },
  paths: {
    '/fares': {
      get: {
        operationId: 'getFare',
        responses: {
          200: {
            description: 'The fare',
            content: { 'application/json': { schema: { type: 'number' } } },
          },
        },
      },
    },
  },
}

async function generateOnce(): Promise<void> {
  await generateZod(writeDocument('fares', document), 'fares', 'full')
}

type Call = (() => Promise<void>) & { readonly end?: () => Promise<void> }

/** Of the second call: the first one loads and compiles. */
async function measureCoverage(call: Call) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await call()
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await call()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  await call.end?.()
  const own = result.filter(
    ({ url }) =>
      url.startsWith(pathToFileURL(root).href) &&
      !url.includes('/node_modules/') &&
      !url.includes('/tools/internal/bench/'),
  )
  const ran = own
    .map(({ functions }) => functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length)
    .filter((count) => count > 0)
  return { files: ran.length, functions: ran.reduce((sum, count) => sum + count, 0) }
}

function countSourceLines(): readonly number[] {
  const listed = execFileSync(
    'git',
    ['ls-files', 'packages/*.ts', 'packages/*.tsx', 'tools/*.ts', 'tools/*.tsx'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  return listed
    .trim()
    .split('\n')
    .filter(
      (file) =>
        !/\.(?:test|test-d|d)\.tsx?$|\/(?:generated|fixtures|samples|test|examples)\/|^packages\/docs\//.test(
          file,
        ),
    )
    .map((file) => readFileSync(join(root, file), 'utf8').split('\n').length - 1)
}
