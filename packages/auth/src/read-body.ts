import { readStart } from '@farebox/middleware'

/** The first 64 KiB of a body as a string. The rest is cancelled. */
export async function readText(response: Response): Promise<string> {
  const { text, reader } = await readStart(response, 65_536)
  void reader?.cancel().catch(() => undefined)
  return text
}

/** A JSON body of at most 64 KiB; undefined for anything else. */
export async function readJson(response: Response): Promise<unknown> {
  return parseJson(await readText(response).catch(() => ''))
}

/** Undefined for anything but JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
