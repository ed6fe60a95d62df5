import { outputRate } from './resample.js'
import type { Sink } from './speech-encoder.js'

const infoStart = 8
/** The marker `fLaC`, a block header and STREAMINFO: no other metadata is made. */
const headLength = 42

/**
 * Fills in the STREAMINFO of a FLAC file that is sent while it is made (RFC 9639, section 8.2), which its maker leaves empty until the end: the
 * block size is read off the first frame, and length and checksum are left at 0, which says that they are not known.
 */
export function createStreamInfo(sink: Sink): Sink {
  let head: Uint8Array | undefined = new Uint8Array(0)
  return (bytes) => {
    if (head === undefined) return sink(bytes)
    head = joined(head, bytes)
    const code = head[headLength + 2]
    if (code === undefined) return
    const view = new DataView(head.buffer)
    const size = blockSize(code >> 4)
    view.setUint32(4, 0x80_00_00_22)
    view.setUint16(infoStart, size)
    view.setUint16(infoStart + 2, size)
    // 20 bits of rate, 3 of channels less one, 5 of bits a sample less one, then 36 of a length that is not known
    view.setUint32(infoStart + 10, ((outputRate << 12) | (15 << 4)) >>> 0)
    sink(head)
    head = undefined
  }
}

/** RFC 9639, section 9.1.1. */
function blockSize(code: number): number {
  if (code === 1) return 192
  if (code >= 2 && code <= 5) return 144 * 2 ** code
  return code >= 8 ? 2 ** code : 4096
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}
