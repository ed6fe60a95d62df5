/** How a program represents a body: parsed JSON, a form, text, or bytes. */
export type MediaKind = 'json' | 'multipart' | 'urlencoded' | 'text' | 'binary'

/** How items follow each other (OpenAPI 3.2, "Sequential Media Types"). */
type Sequence = 'events' | 'lines' | 'records' | 'parts'

/**
 * Undefined for a media type of a single value. The parts of a multipart body are items if the
 * document describes items or their encoding.
 */
export function sequenceKind(mediaType: string, hasItems: boolean): Sequence | undefined {
  const type = (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (type === 'text/event-stream') return 'events'
  if (hasItems && type.startsWith('multipart/') && type !== 'multipart/form-data') return 'parts'
  if (type === 'application/json-seq' || type.endsWith('+json-seq')) return 'records'
  return /^application\/(?:x-)?(?:ndjson|jsonl|json-?lines)$/.test(type) ||
    /\+(?:jsonl|ndjson)$/.test(type)
    ? 'lines'
    : undefined
}

export function mediaKind(mediaType: string): MediaKind {
  const type = (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (type === 'application/json' || type.endsWith('+json') || type === 'text/json') return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'urlencoded'
  if (type.startsWith('multipart/')) return 'multipart'
  if (
    type.startsWith('text/') ||
    type.endsWith('+xml') ||
    type.endsWith('+yaml') ||
    texts.has(type)
  )
    return 'text'
  return 'binary'
}

const texts = new Set([
  'application/xml',
  'application/yaml',
  'application/x-yaml',
  'application/javascript',
  'application/graphql',
  'application/x-ndjson',
  'application/jsonl',
  'application/jwt',
  'application/sql',
])
