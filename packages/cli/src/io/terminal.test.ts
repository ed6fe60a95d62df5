import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import {
  createProgress,
  createRate,
  formatSize,
  paint,
  stripControls,
  formatTable,
  wantsColor,
  printJson,
  printJsonItems,
  type JsonForm,
  type Terminal,
} from './terminal.js'

describe('stripControls', () => {
  it('removes control sequences from untrusted text', () => {
    expect(stripControls('a\u001b[2Jb\u0007\u009b31mc\u202ed\r\ne\tf\rg')).toBe(
      'a\uFFFD[2Jb\uFFFD\uFFFD31mc\uFFFDd\ne\tf\uFFFDg',
    )
  })
})

describe('colours', () => {
  it.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { NO_COLOR: '' }, true],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{}, {}, false],
    [{}, { FORCE_COLOR: '' }, true],
    [{}, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [{ isTTY: true }, { FORCE_COLOR: '0' }, false],
  ])('on %j with %j: %s', (stream, environment, verdict) => {
    expect(wantsColor(stream, environment)).toBe(verdict)
  })

  it('are omitted when disabled', () => {
    expect([paint({ color: true }, 'red', 'x'), paint({ color: false }, 'red', 'x')]).toEqual([
      '\u001b[31mx\u001b[0m',
      'x',
    ])
  })
})

describe('formatTable', () => {
  it('makes columns as wide as they have to be', () => {
    expect(
      formatTable([
        ['MODEL', 'TYPE'],
        ['tts-kokoro', 'tts'],
        ['a', ''],
      ]),
    ).toBe('MODEL       TYPE\ntts-kokoro  tts\na')
  })
})

describe('progress', () => {
  const shown = (isTTY: boolean, quiet = false) => {
    const err = Object.assign(new PassThrough(), { isTTY, columns: 20 })
    const progress = createProgress({ err, quiet })
    progress.report('processing', '1 s of about 5 s')
    progress.report('processing', '2 s of about 5 s')
    progress.report('downloading')
    progress.done()
    return String(err.read() ?? '')
  }

  it('is one line written over on a screen, no wider than that', () => {
    const begin = '\r\u001b[2K'
    expect(shown(true)).toBe(
      `${begin}processing 1 s of a${begin}processing 2 s of a${begin}downloading${begin}`,
    )
  })

  it('is a line a stage in a log, and nothing when it is to be quiet', () => {
    expect(shown(false)).toBe('processing\ndownloading\n')
    expect(shown(true, true)).toBe('')
  })

  it('tells sizes as people read them', () => {
    expect([12, 1234, 2_500_000].map(formatSize)).toEqual(['12 bytes', '1.2 kB', '2.5 MB'])
  })

  it('tells how fast, once there was time to know', () => {
    let now = 0
    const rate = createRate(formatSize, () => now)
    expect(rate(1000)).toBe('1.0 kB')
    now = 2000
    expect(rate(1_000_000)).toBe('1.0 MB, 500.0 kB/s')
    expect(rate(3_000_000, 6_000_000)).toBe('3.0 MB of 6.0 MB, 1.5 MB/s')
  })
})

async function readOutput(
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
    expect(await readOutput((terminal) => printJson(terminal, { id: 'a' }))).toBe(
      '{\n  "id": "a"\n}\n',
    )
    expect(await readOutput((terminal) => printJson(terminal, models), { lines: true })).toBe(
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
    expect(
      await readOutput((terminal) => printJson(terminal, models), { path: path.split('.') }),
    ).toBe(text)
  })

  it('says what there is where the first name is unknown, and null for a part that is absent', async () => {
    await expect(
      readOutput((terminal) => printJson(terminal, { id: 'a', usd: 1 }), { path: ['uds'] }),
    ).rejects.toThrow('--select: found "uds", expected to begin with one of id, usd.')
    expect(
      await readOutput((terminal) => printJson(terminal, { price: {} }), {
        path: ['price', 'usd'],
      }),
    ).toBe('null\n')
  })

  it('writes a list while it arrives', async () => {
    const items = async function* () {
      yield { id: 'a' }
      yield { id: 'b' }
    }
    expect(await readOutput((terminal) => printJsonItems(terminal, items()))).toBe(
      '[\n  {"id":"a"},\n  {"id":"b"}\n]\n',
    )
    expect(await readOutput((terminal) => printJsonItems(terminal, items()), { lines: true })).toBe(
      '{"id":"a"}\n{"id":"b"}\n',
    )
    expect(
      await readOutput((terminal) => printJsonItems(terminal, items()), { path: ['id'] }),
    ).toBe('a\nb\n')
    expect(await readOutput((terminal) => printJsonItems(terminal, []))).toBe('[]\n')
  })
})

function renderProgress(columns: number | undefined): string {
  let shown = ''
  const err = { isTTY: true, columns, write: (text: string) => (shown += text) }
  createProgress({ err: err as never, quiet: false }).report('receiving')
  return shown
}

it('shortens its line to the terminal, and to nothing that a terminal without a size says', () => {
  expect(renderProgress(6)).toBe('\r\u001b[2Krecei')
  expect(renderProgress(0)).toBe('\r\u001b[2Kreceiving')
  expect(renderProgress(undefined)).toBe('\r\u001b[2Kreceiving')
})
