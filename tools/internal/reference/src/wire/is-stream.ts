/** Whether a body is text that comes in parts, which a reader wants to see as they come. */
export function isStream({ headers }: Response): boolean {
  const type = headers.get('content-type') ?? ''
  return /^text\/event-stream|^application\/(?:jsonl|x-ndjson|json-seq)/.test(type)
}
