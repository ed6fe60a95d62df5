/** One name for a format whose media type is written in several ways; else the media type. */
export function formatName(mediaType: string): string {
  const [, name = mediaType] = /^(?:application|text)\/(?:x-|vnd\.)?([\w-]+)$/.exec(mediaType) ?? []
  return /^(?:ndjson|jsonl|json-?lines)$/.test(name) ? 'lines' : name
}
