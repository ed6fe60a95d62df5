import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFixture, startCommandLine, type CommandLine } from '../../test/farebox-command.js'

let line: CommandLine
beforeAll(async () => void (line = await startCommandLine()))
afterAll(() => line.close())

const readBalance = async () => Number((await line.asKey(['balance', '--select', 'USD'])).stdout)

it('farebox parse reads a pipe as a file, alone or with others', async () => {
  execFileSync('mkfifo', [join(line.folder, 'pipe')])
  const file = findFixture('fare-table.pdf')
  for (const more of [[], [findFixture('fare-table.txt'), '--out-dir', 'piped']]) {
    const writer = spawn('sh', ['-c', `cat '${file}' > '${join(line.folder, 'pipe')}'`])
    expect(await line.asKey(['parse', 'pipe', ...more])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(more.length === 0 ? 'Möweninsel' : '104 tokens') as string,
    })
    writer.kill()
  }
})

describe('farebox parse of several files', () => {
  it('writes a text file for each, even if one fails', async () => {
    writeFileSync(join(line.folder, 'broken.pdf'), new Uint8Array([0, 1, 2, 3]))
    const before = await readBalance()
    const { code, stdout, stderr } = await line.asKey([
      'parse',
      findFixture('fare-table.pdf'),
      'broken.pdf',
      findFixture('fare-table.txt'),
      '--out-dir',
      'texts/new',
      '--concurrency',
      '1',
    ])
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^✓ .*fare-table\.pdf → texts\/new\/fare-table\.pdf\.txt, 104 tokens\n✓ .*fare-table\.txt → \S+, \d+ tokens\n$/,
    )
    expect(stderr).toMatch(/✗ broken\.pdf: The request is not valid\. FILE: .*\n/)
    expect(stderr).toContain('2 parsed, 1 failed: 3 files')
    expect(readdirSync(join(line.folder, 'texts/new')).toSorted()).toEqual([
      'fare-table.pdf.txt',
      'fare-table.txt.txt',
    ])
    expect(readFileSync(join(line.folder, 'texts/new/fare-table.pdf.txt'), 'utf8')).toContain(
      'Möweninsel',
    )
    expect(before - (await readBalance())).toBeCloseTo(0.02, 9)
  })

  it('writes the other texts, even if one cannot be written', async () => {
    const files = [findFixture('fare-table.pdf'), findFixture('fare-table.txt')]
    mkdirSync(join(line.folder, 'blocked/fare-table.pdf.txt'), { recursive: true })
    const { code, stdout, stderr } = await line.asKey(['parse', ...files, '--out-dir', 'blocked'])
    expect(code).toBe(1)
    expect(stderr).toContain('fare-table.pdf.txt is a folder')
    expect(stdout).toContain('blocked/fare-table.txt.txt')
  })

  it('prints one line of JSON for each, the failed one too', async () => {
    const { code, stdout } = await line.asKey([
      'parse',
      findFixture('fare-table.txt'),
      'broken.pdf',
      '--jsonl',
      '--concurrency',
      '1',
    ])
    const [first, second, ...others] = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as Readonly<Record<string, unknown>>)
    expect(code).toBe(1)
    expect(first).toMatchObject({ file: findFixture('fare-table.txt'), tokens: 55 })
    expect(second).toMatchObject({
      file: 'broken.pdf',
      error: { status: 400, mayHaveArrived: false },
    })
    expect(others).toEqual([])
  })

  it('pays for nothing with invalid arguments or without consent', async () => {
    const before = await readBalance()
    const two = [findFixture('fare-table.pdf'), findFixture('fare-table.txt')]
    for (const [args, message] of [
      [two, 'Several files need --out-dir FOLDER'],
      [[...two, '-o', 'a.txt', '--jsonl'], '-o takes the text of one file'],
      [[...two, '--jsonl', '--idempotency-key', 'k'], '--idempotency-key is for one call'],
      [
        [two[0] ?? '', two[0] ?? '', '--out-dir', 'texts'],
        'Two of the files would be written to texts/fare-table.pdf.txt',
      ],
      [[two[0] ?? '', 'nowhere.pdf', '--out-dir', 'texts'], 'There is no file "nowhere.pdf"'],
    ] as const) {
      const rejected = await line.asKey(['parse', ...args])
      expect(rejected.code, message).toBe(2)
      expect(rejected.stderr).toContain(message)
    }
    const env = { FAREBOX_CONFIRM_ABOVE_USD: '0.01' }
    expect((await line.asKey(['parse', ...two, '--out-dir', 'texts'], { env })).stderr).toContain(
      'Parsing 2 files costs 0.02 USD',
    )
    expect(await readBalance()).toBe(before)
    expect((await line.asKey(['parse', ...two, '--out-dir', 'texts', '--yes'], { env })).code).toBe(
      0,
    )
  })
})
