import { once } from 'node:events'
import { readFile, readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../../test/command.js'
import { withFiles } from '../../test/documents.js'

const pets =
  'openapi: 3.1.0\ninfo: { title: Test, version: "1" }\ncomponents: { schemas: { Pet: { type: string } } }\n'

const manifest = (
  dependencies: Readonly<Record<string, string>>,
  devDependencies: Readonly<Record<string, string>> = {},
): string => JSON.stringify({ name: 'app', type: 'module', dependencies, devDependencies })

describe('farebox-codegen init', () => {
  it('writes a configuration that fits the project, and the output', async () => {
    const files = {
      'package.json': manifest({ zod: '4' }, { typescript: '5', '@farebox/codegen': '1' }),
      'src/main.ts': '',
      'api/pets.yaml': `# Pets\n\n${pets}`,
      'api/more.yaml': 'not: { openapi: 3 }\n',
      // what npm would install
      'node_modules/@farebox/codegen/package.json':
        '{ "name": "@farebox/codegen", "type": "module", "exports": { ".": "./i.js", "./package.json": "./package.json" } }',
      'node_modules/@farebox/codegen/i.js': 'export const defineConfig = (config) => config\n',
      'data.json': '{ "name": "swagger" }',
    }
    await withFiles(files, async (cwd) => {
      expect(await run(cwd, ['init'])).toEqual({
        code: 0,
        error: '',
        out: `Wrote farebox.config.ts: api/pets.yaml becomes src/api/types, src/api/zod, src/api/client.
Next:
  npx farebox-codegen           writes the output again, when the document has changed
  npx farebox-codegen --check   checks that it is up to date, for CI`,
      })
      expect(await readFile(join(cwd, 'farebox.config.ts'), 'utf8'))
        .toBe(`import { defineConfig } from '@farebox/codegen'

export default defineConfig({
  documents: [{ spec: 'api/pets.yaml', out: 'src/api' }],
  outputs: { types: true, zod: true, client: true },
})
`)
      expect(await run(cwd, ['--check', '--quiet'])).toEqual({ code: 0, out: '', error: '' })
      expect(await readFile(join(cwd, 'src/api/types/index.ts'), 'utf8')).toContain(
        'export type Pet',
      )
    })
  })

  it('writes JavaScript and no zod for a project without them, and says what to install', async () => {
    const files = {
      // with the mark of an editor of Windows
      'package.json': `\uFEFF${manifest({})}`,
      'openapi.json': JSON.stringify({
        info: { title: 'Test', version: '1' },
        openapi: '3.0.3',
        paths: {},
      }),
      'spec/openapi.yaml': pets,
    }
    await withFiles(files, async (cwd) => {
      const { code, out } = await run(cwd, ['init', '--yes'])
      expect([code, out.split('\n').slice(0, 4)]).toEqual([
        0,
        [
          'Found openapi.json, spec/openapi.yaml.',
          'Wrote farebox.config.mjs: openapi.json becomes api/types, api/client.',
          'Next:',
          '  npm install --save-dev @farebox/codegen',
        ],
      ])
      expect(await readFile(join(cwd, 'farebox.config.mjs'), 'utf8'))
        .toBe(`/** @type {import('@farebox/codegen').Config} */
export default {
  documents: [{ spec: 'openapi.json', out: 'api' }],
  outputs: { types: true, client: true },
}
`)
    })
  })

  it('prompts on a terminal, and uses the default for an empty line', async () => {
    const questions: string[] = []
    const responses = ['', 'src/tram', 'types, zod']
    const ask = async (question: string): Promise<string> => {
      questions.push(question)
      return responses.shift() ?? ''
    }
    await withFiles({ 'openapi.yaml': pets }, async (cwd) => {
      const { out } = await run(cwd, ['init'], { ask })
      expect(questions).toEqual([
        'Document (openapi.yaml): ',
        'Folder of the output (api): ',
        'Outputs (types,client): ',
      ])
      expect(out).toContain('openapi.yaml becomes src/tram/types, src/tram/zod.')
      expect(out).toContain('  npm install zod\n')
    })
  })

  it('does not prompt with --yes, and uses the given options', async () => {
    const ask = async (): Promise<string> => expect.fail('asked')
    await withFiles({ 'a.yaml': pets }, async (cwd) => {
      const { out } = await run(
        cwd,
        ['init', '--yes', '--spec', 'a.yaml', '--out', 'b', '--only', 'types'],
        { ask },
      )
      expect(out).toContain('a.yaml becomes b/types.')
    })
  })

  it('generates a client from a URL in an empty folder', async () => {
    const server = createServer((_request, response) => response.end(pets)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    try {
      await withFiles({ 'tsconfig.json': '{}' }, async (cwd) => {
        const url = `http://127.0.0.1:${port}/pets.yaml`
        const { code, error } = await run(cwd, ['init', '--yes', '--spec', url])
        expect([code, error]).toEqual([0, ''])
        expect(await readdir(join(cwd, 'api'))).toEqual(['client', 'types'])
        const config = await readFile(join(cwd, 'farebox.config.ts'), 'utf8')
        expect(config).toContain(`documents: [{ spec: '${url}', out: 'api' }],`)
        expect(config).toContain('} satisfies Config\n')
      })
    } finally {
      server.close()
    }
  })

  it('keeps the configuration of a document that cannot be generated, and says why', async () => {
    await withFiles({ 'openapi.yaml': 'openapi: 4.0.0\n' }, async (cwd) => {
      const { code, error } = await run(cwd, ['init', '--yes'])
      expect([code, error]).toEqual([1, expect.stringContaining('openapi.yaml:1:')])
      expect(await readdir(cwd)).toContain('farebox.config.mjs')
    })
  })

  it.each(['farebox.config.ts', 'farebox.config.json'])('does not overwrite %s', async (name) => {
    await withFiles({ 'openapi.yaml': pets, [name]: 'mine' }, async (cwd) => {
      const { code, error } = await run(cwd, ['init', '--yes'])
      expect([code, error]).toEqual([1, `${join(cwd, name)} exists already. Nothing was written.`])
      expect((await readdir(cwd)).toSorted()).toEqual([name, 'openapi.yaml'].toSorted())
      expect(await readFile(join(cwd, name), 'utf8')).toBe('mine')
    })
  })

  it('has its own help', async () => {
    const { code, out } = await run('/', ['init', '--help'])
    expect([code, out.split('\n')[0]]).toEqual([0, 'Usage: farebox-codegen init [options]'])
    expect(out).not.toContain('--watch')
  })

  it.each([
    [['init'], 'No OpenAPI document found here. Pass one with --spec FILE.'],
    [
      ['init', '--spec', 'none.yaml'],
      '--spec: found "none.yaml", expected an existing file, or a URL.',
    ],
    [['init', '--spec', '-'], '--spec: found "-", expected an existing file, or a URL.'],
    [
      ['init', '--spec', 'package.json', '--only', 'types,java'],
      '--only: found "java", expected some of types',
    ],
  ])('exits 2 for %j, and writes nothing', async (argv, message) => {
    await withFiles({ 'package.json': '{}' }, async (cwd) => {
      const { code, error } = await run(cwd, argv)
      expect([code, error]).toEqual([2, expect.stringContaining(message)])
      expect(await readdir(cwd)).toEqual(['package.json'])
    })
  })

  it('exits 2 for a package.json that cannot be read', async () => {
    await withFiles({ 'package.json': '{', 'openapi.yaml': pets }, async (cwd) => {
      const { code, error } = await run(cwd, ['init', '--yes'])
      expect([code, error]).toEqual([2, expect.stringContaining('package.json cannot be read: ')])
    })
  })
})
