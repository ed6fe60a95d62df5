const rate = 24_000

/** A WAV file of silence: 16 bits, mono. */
export async function createRecording(seconds: number): Promise<Uint8Array> {
  const size = 2 * Math.round(seconds * rate)
  const header = Buffer.alloc(44)
  header.write('RIFF')
  header.writeUInt32LE(size + 36, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(2 * rate, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(size, 40)
  return Buffer.concat([header, Buffer.alloc(size)])
}
