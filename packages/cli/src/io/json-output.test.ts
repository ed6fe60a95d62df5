import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { printJson, printJsonItems } from './json-output.js'
import type { JsonForm, Terminal } from './terminal.js'

async function shown(
  write: (terminal: Terminal) => Promise<void>,
  form: Partial<JsonForm> = {},
): Promise<string> {
  const out = new PassThrough()
  await write({
    in: out,
    out,
    err: out,
    color: false,
    quiet: false,
    json: { lines: false, path: [], ...form },
  })
  return String(out.read() ?? '')
}

const models = [
  { id: 'a', price: { usd: 1 } },
  { id: 'b', price: { usd: 2 }, voices: ['x', 'y'] },
]

describe('printJson', () => {
  it('indents for people, and writes a line for each item for programs', async () => {
    expect(await shown((terminal) => printJson(terminal, { id: 'a' }))).toBe('{\n  "id": "a"\n}\n')
    expect(await shown((terminal) => printJson(terminal, models), { lines: true })).toBe(
      '{"id":"a","price":{"usd":1}}\n{"id":"b","price":{"usd":2},"voices":["x","y"]}\n',
    )
  })

  it.each([
    ['id', 'a\nb\n'],
    ['price.usd', '1\n2\n'],
    ['1.id', 'b\n'],
    ['1.voices', 'x\ny\n'],
    ['1.voices.0', 'x\n'],
    ['0.price', '{"usd":1}\n'],
  ])('selects %s', async (path, text) => {
    expect(await shown((terminal) => printJson(terminal, models), { path: path.split('.') })).toBe(
      text,
    )
  })

  it('says what there is where the first name is unknown, and null for a part that is absent', async () => {
    await expect(
      shown((terminal) => printJson(terminal, { id: 'a', usd: 1 }), { path: ['uds'] }),
    ).rejects.toThrow('--select: found "uds", expected to begin with one of id, usd.')
    expect(
      await shown((terminal) => printJson(terminal, { price: {} }), { path: ['price', 'usd'] }),
    ).toBe('null\n')
  })

  it('writes a list while it arrives', async () => {
    const items = async function* () {
      yield { id: 'a' }
      yield { id: 'b' }
    }
    expect(await shown((terminal) => printJsonItems(terminal, items()))).toBe(
      '[\n  {"id":"a"},\n  {"id":"b"}\n]\n',
    )
    expect(await shown((terminal) => printJsonItems(terminal, items()), { lines: true })).toBe(
      '{"id":"a"}\n{"id":"b"}\n',
    )
    expect(await shown((terminal) => printJsonItems(terminal, items()), { path: ['id'] })).toBe(
      'a\nb\n',
    )
    expect(await shown((terminal) => printJsonItems(terminal, []))).toBe('[]\n')
  })
})
