import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFiles } from '../../test/documents.js'
import { findCacheFolder, maxEntries } from './cache.js'
import { main } from '../command/main.js'
import { generate } from './generate.js'

const spec = `openapi: 3.1.0
info: { title: Test, version: "1" }
paths: {}
components:
  schemas:
    A: { $ref: "./b.yaml" }
    Odd: { type: string, minLength: 3, maxLength: 2 }
`
const files = { 'a.yaml': spec, 'b.yaml': '{ type: string }', 'node_modules/x/package.json': '{}' }
const usual = ['--spec', 'a.yaml', '--out', 'api', '--only', 'types,zod']

type Project = {
  readonly cwd: string
  /**
   * Runs the command and says whether the generator worked or the cache served it, the exit code,
   * and what was said.
   */
  readonly run: (argv?: readonly string[]) => Promise<readonly ['made' | 'known', number, string]>
  readonly file: (path: string) => string
  /** The entries of the cache. */
  readonly entries: () => Promise<readonly string[]>
}

async function withProject(test: (project: Project) => Promise<void>): Promise<void> {
  await withFiles(files, async (cwd) => {
    const run: Project['run'] = async (argv = usual) => {
      let made = 0
      const said: string[] = []
      const code = await main(argv, {
        out: () => undefined,
        error: (line) => said.push(line),
        cwd,
        env: {},
        now: () => 0,
        signal: new AbortController().signal,
        temp: join(cwd, 'temp'),
        stdin: new Blob().stream(),
        load: async () => {
          made++
          return generate
        },
      })
      return [made === 0 ? 'known' : 'made', code, said.join('\n')]
    }
    const file = (path: string): string => join(cwd, path)
    const folder = file('node_modules/.cache/farebox-codegen')
    await test({
      cwd,
      run,
      file,
      entries: async () => (await readdir(folder)).map((name) => join(folder, name)),
    })
  })
}

const readOutcome = async (run: ReturnType<Project['run']>) => (await run).slice(0, 2)

describe('the cache', () => {
  it('is used when nothing has changed, with the same warnings', async () => {
    await withProject(async ({ run }) => {
      const [first, , warnings] = await run()
      expect([first, await run()]).toEqual(['made', ['known', 0, warnings]])
      expect(warnings).toContain('a.yaml:7:')
      expect(warnings).toContain('warning FB3004')
    })
  })

  it('is used for --check too', async () => {
    await withProject(async ({ run }) => {
      await run()
      expect(await readOutcome(run([...usual, '--check']))).toEqual(['known', 0])
    })
  })

  it.each([
    [
      'the document',
      async ({ file }: Project) => writeFile(file('a.yaml'), `${spec}    C: { type: number }\n`),
    ],
    [
      'a file that the document refers to',
      async ({ file }: Project) => writeFile(file('b.yaml'), '{ type: number }'),
    ],
    [
      'an output by hand',
      async ({ file }: Project) => writeFile(file('api/zod/index.ts'), 'edited'),
    ],
    ['an output by removal', async ({ file }: Project) => rm(file('api/types/index.ts'))],
    [
      'the outputs by a file too many',
      async ({ file }: Project) => writeFile(file('api/types/more.ts'), ''),
    ],
    ['an entry by half', async ({ entries }: Project) => halve(await entries())],
    ['an entry by hand', async ({ entries }: Project) => edit(await entries())],
    [
      'the entries by their removal',
      async ({ entries }: Project) => Promise.all((await entries()).map(async (path) => rm(path))),
    ],
  ])('is not used after a change of %s', async (_, change) => {
    await withProject(async (it) => {
      await it.run()
      await change(it)
      expect(await readOutcome(it.run())).toEqual(['made', 0])
      expect(await readOutcome(it.run())).toEqual(['known', 0])
    })
  })

  it.each([
    [['--formats', 'annotate']],
    [['--zod', 'mini']],
    [['--allow-refs']],
    [['--out', 'other']],
    [['--only', 'types']],
  ])('is not used for other options: %j', async (more) => {
    await withProject(async ({ run }) => {
      await run()
      expect(await readOutcome(run([...usual, ...more]))).toEqual(['made', 0])
    })
  })

  it('does not hide edits from --check', async () => {
    await withProject(async ({ run, file }) => {
      await run()
      await writeFile(file('api/zod/index.ts'), 'edited')
      const [made, code, said] = await run([...usual, '--check'])
      expect([made, code]).toEqual(['made', 1])
      expect(said).toContain('different  api/zod/index.ts')
    })
  })

  it('does not store a document that was rejected', async () => {
    await withProject(async ({ run, file }) => {
      await writeFile(file('b.yaml'), '{ type: file }')
      expect(await readOutcome(run([...usual, '--strict']))).toEqual(['made', 1])
      expect(await readOutcome(run([...usual, '--strict']))).toEqual(['made', 1])
    })
  })

  it('repeats the report of omitted parts', async () => {
    await withProject(async ({ run, file }) => {
      await writeFile(file('b.yaml'), '{ type: file }')
      const [, code, said] = await run()
      expect(said).toMatch(
        /Generated 0 operations; typed 1 schema as unknown \(#\/components\/schemas\/A\); run with --strict to reject such a document\.$/,
      )
      expect(await run()).toEqual(['known', code, said])
    })
  })

  it('detects a new file', async () => {
    await withProject(async ({ run, file }) => {
      const example = '      example: { $ref: "./later.yaml" }\n'
      await writeFile(file('a.yaml'), `${spec}    C:\n      type: object\n${example}`)
      expect(await readOutcome(run())).toEqual(['made', 0])
      expect(await readOutcome(run())).toEqual(['known', 0])
      await writeFile(file('later.yaml'), '1')
      expect(await readOutcome(run())).toEqual(['made', 0])
    })
  })

  it('stores several states of a document, if its output was restored too', async () => {
    await withProject(async ({ run, file }) => {
      await run()
      const output = await readFile(file('api/types/index.ts'), 'utf8')
      await writeFile(file('a.yaml'), `${spec}\n`)
      expect(await readOutcome(run())).toEqual(['made', 0])
      await writeFile(file('a.yaml'), spec)
      expect(await readOutcome(run())).toEqual(['known', 0])
      expect(await readFile(file('api/types/index.ts'), 'utf8')).toBe(output)
    })
  })

  it('is neither read nor written with --no-cache', async () => {
    await withProject(async ({ run, entries }) => {
      await run([...usual, '--no-cache'])
      await expect(entries()).rejects.toThrow('ENOENT')
      await run()
      expect(await readOutcome(run([...usual, '--no-cache']))).toEqual(['made', 0])
    })
  })

  it('contains hashes and warnings, but no output text', async () => {
    await withProject(async ({ run, entries }) => {
      await run()
      const [entry = ''] = await entries()
      expect(await readFile(entry, 'utf8')).not.toContain('export')
    })
  })

  it('has a bounded size', async () => {
    await withProject(async ({ run, file, entries }) => {
      await mkdir(file('node_modules/.cache/farebox-codegen'), { recursive: true })
      for (let index = 0; index < maxEntries + 5; index++)
        await writeFile(file(`node_modules/.cache/farebox-codegen/${index}.json`), 'of another')
      await run()
      expect((await entries()).length).toBe(maxEntries)
      expect(await readOutcome(run())).toEqual(['known', 0])
    })
  })

  it('that cannot be written is not an error', async () => {
    await withProject(async ({ run, file }) => {
      await writeFile(file('node_modules/.cache'), 'a file where a folder should be')
      expect(await readOutcome(run())).toEqual(['made', 0])
      expect(await readOutcome(run())).toEqual(['made', 0])
    })
  })

  it('is in the nearest node_modules, or else with temporary files', async () => {
    await withProject(async ({ cwd, file }) => {
      await mkdir(file('deep/er'), { recursive: true })
      expect(findCacheFolder(file('deep/er'), '/temp')).toBe(
        join(cwd, 'node_modules/.cache/farebox-codegen'),
      )
      await rm(file('node_modules'), { recursive: true })
      expect(findCacheFolder(file('deep/er'), '/temp')).toMatch(/^.temp.farebox-codegen-/)
    })
  })
})

async function halve(paths: readonly string[]): Promise<void> {
  for (const path of paths) await writeFile(path, (await readFile(path, 'utf8')).slice(0, 100))
}

async function edit(paths: readonly string[]): Promise<void> {
  for (const path of paths)
    await writeFile(path, (await readFile(path, 'utf8')).replace('a.yaml', 'c.yaml'))
}
