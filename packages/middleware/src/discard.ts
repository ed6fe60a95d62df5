/** Frees the connection of a response that is not read. */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined)
}
