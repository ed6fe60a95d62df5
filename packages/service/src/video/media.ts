/** The bytes of a data URL; nothing for another URL, or one that is malformed. */
export function bytesOfDataUrl(url: string): Uint8Array | undefined {
  const [, parameters, data] = /^data:([^,]*),(.*)$/s.exec(url) ?? []
  if (parameters === undefined || data === undefined) return undefined
  if (/;base64$/i.test(parameters)) return Buffer.from(data, 'base64')
  try {
    return new TextEncoder().encode(decodeURIComponent(data))
  } catch {
    return undefined
  }
}

/** Seconds of a video in a data URL. Media elsewhere are not fetched: a service that fetches what callers name can be turned against its neighbours. */
export async function durationOf(url: string): Promise<number | undefined> {
  const bytes = bytesOfDataUrl(url)
  if (!bytes) return undefined
  // two megabytes of code that most processes never need
  const { BufferSource, Input, MATROSKA, MP4, QTFF, WEBM } = await import('mediabunny')
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4, QTFF, WEBM, MATROSKA] })
  try {
    return await input.computeDuration()
  } catch {
    return undefined
  } finally {
    input.dispose()
  }
}
