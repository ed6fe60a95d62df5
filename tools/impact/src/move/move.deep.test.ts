import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { emitters, folder, generate } from '@farebox/codegen'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createConsumer, type Consumer, loadProgram } from '../../test/consumer.js'
import { impact } from '../command/impact.js'

const home = process.cwd()
afterAll(() => process.chdir(home))

/** A project on openapi-fetch, with the client that is generated beside it. */
async function createProject(name: string): Promise<Consumer> {
  const consumer = await createConsumer(name, 'openapi-fetch')
  const { status } = await generate({
    spec: 'src/pets.yaml',
    cwd: consumer.root,
    emitters: emitters.filter((one) => ['types', 'client'].includes(one.name)),
    target: folder('src/api', 'npm run generate'),
  })
  if (status !== 'written') throw new Error(`The generated code is ${status}`)
  return consumer
}

/** The command in the folder of a project. */
async function runIn({ root }: Consumer, ...args: readonly string[]) {
  process.chdir(root)
  let [stdout, stderr] = ['', '']
  const out = { write: (text: string) => (stdout += text) }
  const err = { write: (text: string) => (stderr += text) }
  const given = ['src/pets.yaml', '--from', 'openapi-fetch', ...args]
  const code = await impact(given, { environment: {}, out, err }, undefined)
  return { code, stdout, stderr }
}

function listCompileErrors(consumer: Consumer): readonly string[] {
  return ts
    .getPreEmitDiagnostics(loadProgram(consumer))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

/** The requests that the project sends, and what it prints. */
async function runProject({ root }: Consumer): Promise<readonly string[]> {
  const main = pathToFileURL(join(root, 'src/main.ts')).href
  const { run } = (await import(main)) as { readonly run: () => Promise<readonly string[]> }
  return run()
}

describe('a project on openapi-fetch', () => {
  let before: Consumer
  let after: Consumer
  let report: string
  beforeAll(async () => {
    before = await createProject('openapi-fetch before')
    after = await createProject('openapi-fetch after')
    report = (await runIn(after, '--fix', '--force')).stdout
  })
  const read = (name: string) => readFileSync(join(after.root, 'src', name), 'utf8')

  it('compiles and behaves the same before and after', async () => {
    expect(listCompileErrors(before)).toEqual([])
    expect(listCompileErrors(after)).toEqual([])
    const [was, is] = [await runProject(before), await runProject(after)]
    expect(was).toContain('GET /v1/pets?limit=2 example pets/1 trace ')
    expect(was).toContain('DELETE /v1/pets/7 Bearer token-7 example pets/1 ')
    expect(is).toEqual(was)
  })

  it('no longer mentions openapi-fetch', () => {
    expect(report).toMatch(/^13 edits\. 0 places left to you\.$/m)
    expect(read('client.ts') + read('pets.ts')).not.toMatch(/openapi-fetch|schema\.js/)
    expect(read('client.ts').split('\n')[0]).toBe(
      "import { type Send, type Client, fetchSend, createClient } from './api/client/index.js'",
    )
  })

  it('calls methods with flat inputs', () => {
    const pets = read('pets.ts')
    expect(pets).toContain("await client.listPets({ limit, xTraceId: 'trace' })")
    expect(pets).toContain(
      "await client.createPet(pet, { headers: { 'Idempotency-Key': pet.name } })",
    )
    expect(pets).toContain("    name: 'query',\n    tag: 'cat',\n    requestBody: { name },\n")
    expect(pets).toContain("client.deletePet({ 'pet-id': id })")
  })

  it('finds nothing in a second run', async () => {
    const { stdout } = await runIn(after)
    expect(stdout).toBe('0 edits. 0 places left to you.\n')
  })

  it('lists without --fix, and writes nothing', async () => {
    const { stdout } = await runIn(before)
    expect(stdout).toContain('src/pets.ts:8:33 GET /pets is listPets() now\n')
    expect(stdout).toContain('Give --fix to write this.\n')
    expect(readFileSync(join(before.root, 'src/pets.ts'), 'utf8')).toContain('client.GET(')
  })
})

describe('what it cannot move', () => {
  it('is listed with its line, and no longer compiles', async () => {
    const consumer = await createProject('openapi-fetch left')
    const from = fileURLToPath(new URL('../../fixtures/openapi-fetch-left/', import.meta.url))
    cpSync(from, join(consumer.root, 'src'), { recursive: true })
    const marked = readFileSync(join(from, 'left.ts'), 'utf8')
      .split('\n')
      .flatMap((text, index) => {
        const [, reason] = /\/\/ left: (.*)/.exec(text) ?? []
        // a comment of its own is about the next line
        const line = index + (text.startsWith('//') ? 2 : 1)
        return reason === undefined ? [] : [`${line} ${reason}`]
      })
    const { stdout } = await runIn(consumer, '--fix', '--force')
    const listed = [...stdout.matchAll(/^src\/left\.ts:(\d+):\d+ left to you: (.*)$/gm)]
    for (const one of marked) {
      const [line = '', ...words] = one.split(' ')
      const reasons = listed.filter(([, at]) => at === line).map(([, , reason]) => reason)
      expect([line, reasons.join('; ')]).toEqual([line, expect.stringContaining(words.join(' '))])
    }
    const text = readFileSync(join(consumer.root, 'src/left.ts'), 'utf8')
    expect(text).toContain('await client.listPets(page)')
    expect(text).toContain("import createClient, { type Middleware } from 'openapi-fetch'")
    expect(text).toContain('const client = generatedCreateClient({')
    expect(text).toContain("(url, init) => fetch(url, { ...init, credentials: 'include' })")
    const errors = listCompileErrors(consumer)
    expect(errors.filter((one) => one.startsWith("Property 'GET' does not exist"))).toHaveLength(3)
  })

  it('says what to do without a generated client', async () => {
    const consumer = await createConsumer('openapi-fetch without', 'openapi-fetch')
    const { code, stderr } = await runIn(consumer, '--fix', '--force')
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /There is no generated client in .*api\. Run `farebox-codegen --spec FILE --out FOLDER`/,
    )
  })
})
