/** Numbers of 32 bits. */
export function encodeU32(...numbers: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * numbers.length))
  for (const [index, number] of numbers.entries()) view.setUint32(4 * index, number)
  return new Uint8Array(view.buffer)
}

/** A box of ISO/IEC 14496-12. */
export function box(name: string, ...content: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const inner = Buffer.concat(content)
  return Uint8Array.from(
    Buffer.concat([encodeU32(8 + inner.length), Buffer.from(name, 'latin1'), inner]),
  )
}

type FragmentOptions = {
  /** Thousandths of a second. */
  readonly sampleDuration?: number
  /** Bytes of all samples; default: one a sample. */
  readonly data?: number
  readonly fragments?: number
  readonly kind?: 'picture' | 'sound'
}

/** A fragmented MP4 whose `trun` claims this many samples, without listing them. */
export function createFragmentedMp4(
  samples: number,
  { sampleDuration = 40, data = samples, fragments = 1, kind = 'picture' }: FragmentOptions,
) {
  const header = createMp4({
    stts: [encodeU32(0, 0)],
    stsz: [encodeU32(0, 0, 0)],
    kind,
    extended: true,
  })
  const run = box(
    'moof',
    box('mfhd', encodeU32(0, 1)),
    box(
      'traf',
      createTfhd(sampleDuration),
      box('tfdt', encodeU32(0, 0)),
      box('trun', encodeU32(0, samples)),
    ),
  )
  return Uint8Array.from(
    Buffer.concat([
      header,
      ...Array.from({ length: fragments }, () => run),
      box('mdat', new Uint8Array(data)),
    ]),
  )
}

/** Default duration, size 1 and flags of the samples of track 1. */
function createTfhd(sampleDuration: number): Uint8Array {
  return box('tfhd', encodeU32(0x02_00_38, 1, sampleDuration, 1, 0))
}

type Tables = {
  readonly stts?: readonly Uint8Array[]
  readonly stsz?: readonly Uint8Array[]
  readonly ctts?: readonly Uint8Array[]
  readonly kind?: 'picture' | 'sound'
  readonly extended?: boolean
}

/** An MP4 of one track, 1,000 units a second, with these tables. */
export function createMp4({
  stts = [encodeU32(0, 0)],
  stsz = [encodeU32(0, 0, 0)],
  ctts,
  kind = 'picture',
  extended = false,
}: Tables) {
  const matrix = encodeU32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
  const tables = [
    box('stts', ...stts),
    box('stsc', encodeU32(0, 0)),
    box('stsz', ...stsz),
    box('stco', encodeU32(0, 0)),
  ]
  const handler = Buffer.from(kind === 'picture' ? 'vide' : 'soun', 'latin1')
  return Uint8Array.from(
    Buffer.concat([
      box('ftyp', Buffer.from('isom', 'latin1'), encodeU32(0), Buffer.from('isommp41', 'latin1')),
      box(
        'moov',
        box(
          'mvhd',
          encodeU32(0, 0, 0, 1000, 0, 0x10000, 0x1000000, 0, 0),
          matrix,
          encodeU32(0, 0, 0, 0, 0, 0, 2),
        ),
        box(
          'trak',
          box(
            'tkhd',
            encodeU32(3, 0, 0, 1, 0, 0, 0, 0, 0, 0),
            matrix,
            encodeU32(0x100000, 0x100000),
          ),
          box(
            'mdia',
            box('mdhd', encodeU32(0, 0, 0, 1000, 0, 0x55c40000)),
            box('hdlr', encodeU32(0, 0), handler, encodeU32(0, 0, 0), Uint8Array.of(0)),
            box(
              'minf',
              box(
                'stbl',
                box('stsd', encodeU32(0, 1), sampleEntry(kind)),
                ...(ctts ? [box('ctts', ...ctts)] : []),
                ...tables,
              ),
            ),
          ),
        ),
        ...(extended ? [box('mvex', box('trex', encodeU32(0, 1, 1, 0, 0, 0)))] : []),
      ),
    ]),
  )
}

function sampleEntry(kind: 'picture' | 'sound'): Uint8Array {
  const start = [encodeU32(0), Uint8Array.of(0, 0, 0, 1)]
  if (kind === 'sound') return box('mp4a', ...start, encodeU32(0, 0, 0x10010, 0, 44100 * 65536))
  return box(
    'avc1',
    ...start,
    encodeU32(0, 0, 0, 0, 0x100010, 0x480000, 0x480000, 0),
    Uint8Array.of(0, 1),
    new Uint8Array(32),
    encodeU32(0x18ffff),
  )
}
