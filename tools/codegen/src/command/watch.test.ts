import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run } from '../../test/command.js'
import { withFiles } from '../../test/documents.js'

const createSpec = (name: string): string =>
  `openapi: 3.1.0\ninfo: { title: Test, version: "1" }\ncomponents: { schemas: { ${name}: { type: string } } }\n`

const entry = `openapi: 3.1.0\ninfo: { title: Test, version: "1" }\ncomponents: { schemas: { A: { $ref: part.yaml } } }\n`

const createConfig = (documents: readonly string[], more = ''): string =>
  `import { outputs } from './outputs'\nexport default { outputs, ${more} documents: ${JSON.stringify(
    documents.map((name) => ({ spec: `${name}.yaml`, out: `out/${name}` })),
  )} }\n`

type Step = { readonly at: RegExp; readonly act: (cwd: string) => Promise<void> }

/** Runs `--watch`, does each step when its line is printed, and ends after the last. */
async function runWatch(
  steps: readonly Step[],
  more: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const lines: string[] = []
  const files = {
    'a.yaml': entry,
    'part.yaml': 'type: string\n',
    'b.yaml': createSpec('B'),
    'c.yaml': createSpec('C'),
    'outputs.ts': 'export const outputs = { types: true }\n',
    'farebox.config.ts': createConfig(['a', 'b']),
    ...more,
  }
  await withFiles(files, async (cwd) => {
    const stop = new AbortController()
    const left = [...steps, { at: /total:|Still watching/, act: async () => stop.abort() }]
    const react = (line: string): void => {
      lines.push(line.replace(/^ *\d+ ms {2}/, ''))
      if (left[0]?.at.test(line)) void left.shift()?.act(cwd)
    }
    const { code } = await run(cwd, ['--watch', '--no-cache'], {
      out: react,
      error: react,
      signal: stop.signal,
    })
    expect(code).toBe(0)
  })
  const start = lines.findIndex((line) => line.startsWith('Watching'))
  return lines.slice(start).filter((line) => !/^(?:read|understood|rendered)/.test(line))
}

const watching = 'Watching a.yaml, b.yaml and the files that belong to it. Stop with Ctrl+C.'

const write =
  (name: string, text: string) =>
  async (cwd: string): Promise<void> =>
    writeFile(join(cwd, name), text)

it('generates only the document with a changed file', async () => {
  expect(await runWatch([{ at: /^Watching/, act: write('part.yaml', 'type: number\n') }])).toEqual([
    watching,
    'a.yaml:',
    'total: wrote 1 and removed 0 files',
  ])
})

it('reads a configuration again, and generates only the documents whose settings changed', async () => {
  expect(
    await runWatch([
      { at: /^Watching/, act: write('farebox.config.ts', createConfig(['a', 'b', 'c'])) },
    ]),
  ).toEqual([watching, 'c.yaml:', 'total: wrote 1 and removed 0 files'])
})

it('reads a module of the configuration again', async () => {
  const lines = await runWatch([
    {
      at: /^Watching/,
      act: write('outputs.ts', 'export const outputs = { types: true, zod: true }\n'),
    },
    { at: /total:/, act: async () => undefined },
  ])
  expect(lines.filter((line) => line.endsWith(':'))).toEqual(['a.yaml:', 'b.yaml:'])
})

it('keeps the last configuration if the new one is invalid', async () => {
  const faulty = createConfig(['a', 'b'], 'stricct: true,')
  const lines = await runWatch([
    { at: /^Watching/, act: write('farebox.config.ts', faulty) },
    { at: /Still watching/, act: write('b.yaml', createSpec('D')) },
  ])
  expect(lines.slice(1)).toEqual([
    'farebox.config.ts has no "stricct". Did you mean "strict"? Still watching with the previous configuration.',
    'b.yaml:',
    'total: wrote 1 and removed 0 files',
  ])
})

it('waits for a file that is missing, in a folder that is missing', async () => {
  const missing = entry.replace('part.yaml', 'there/part.yaml')
  const lines = await runWatch([
    { at: /^Watching/, act: write('a.yaml', missing) },
    {
      at: /Nothing was written/,
      act: async (cwd) => {
        await mkdir(join(cwd, 'there'))
        await writeFile(join(cwd, 'there/part.yaml'), 'type: number\n')
      },
    },
  ])
  expect(lines.at(-1)).toBe('total: wrote 1 and removed 0 files')
})

it('watches the folder that replaces another, as on another branch', async () => {
  const replace = async (cwd: string): Promise<void> => {
    await rename(join(cwd, 'api/v1'), join(cwd, 'api/old'))
    await mkdir(join(cwd, 'api/v1'))
    await writeFile(join(cwd, 'api/v1/a.yaml'), createSpec('B'))
  }
  const lines = await runWatch(
    [
      { at: /^Watching/, act: replace },
      { at: /total: wrote 1/, act: write('api/v1/a.yaml', createSpec('C')) },
    ],
    { 'api/v1/a.yaml': createSpec('A'), 'farebox.config.ts': createConfig(['api/v1/a']) },
  )
  expect(lines.slice(1)).toEqual(
    Array.from({ length: 2 }, () => 'total: wrote 1 and removed 0 files'),
  )
})
