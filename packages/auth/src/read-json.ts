import { readStart } from '@farebox/middleware'

/** The first 64 KiB of a body as text. The rest is cancelled. */
export async function readText(response: Response): Promise<string> {
  const { text, reader } = await readStart(response, 65_536)
  void reader?.cancel().catch(() => undefined)
  return text
}

/** A JSON body of at most 64 KiB; undefined for anything else. */
export async function readJson(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await readText(response))
  } catch {
    return undefined
  }
}
