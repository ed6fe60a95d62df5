import { createWarningCounter } from './findings.js'
import { decodePlain } from './plain.js'

/** Parts within parts. More are an attack. */
const maxLevel = 5

type Part = {
  /** In lower case, without its parameters. */
  readonly type: string
  readonly parameters: string
  readonly encoding: string
  readonly body: string
}

/**
 * The HTML of a web archive (RFC 2557), as Word and its libraries embed it: the first part of the
 * type `text/html`. Undefined for one without such a part.
 */
export function findHtml(archive: Uint8Array): string | undefined {
  return find(Buffer.from(archive).toString('latin1'), 0)
}

function find(entity: string, level: number): string | undefined {
  const part = readPart(entity)
  if (part.type === 'text/html') return decode(part)
  const boundary = /boundary\s*=\s*(?:"([^"]+)"|([^\s;]+))/i.exec(part.parameters)
  const mark = boundary?.[1] ?? boundary?.[2]
  if (mark === undefined || level >= maxLevel) return undefined
  for (const piece of part.body.split(`--${mark}`).slice(1)) {
    const html = find(piece.replace(/^[ \t]*\r?\n/, ''), level + 1)
    if (html !== undefined) return html
  }
  return undefined
}

function readPart(entity: string): Part {
  const end = /\r?\n\r?\n/.exec(entity)
  const head = entity.slice(0, end?.index ?? entity.length).replaceAll(/\r?\n[ \t]+/g, ' ')
  const header = (name: string) =>
    new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(head)?.[1]?.trim() ?? ''
  const type = header('Content-Type')
  return {
    type: (type.split(';')[0] ?? '').trim().toLowerCase(),
    parameters: type,
    encoding: header('Content-Transfer-Encoding').toLowerCase(),
    body: end === null ? '' : entity.slice(end.index + end[0].length),
  }
}

function decode({ encoding, parameters, body }: Part): string {
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : Buffer.from(encoding === 'quoted-printable' ? unquote(body) : body, 'latin1')
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(parameters)?.[1]
  try {
    if (charset !== undefined) return new TextDecoder(charset).decode(bytes)
  } catch {
    // an unknown name is no worse than none
  }
  return decodePlain(bytes, createWarningCounter())
}

/** Quoted-printable (RFC 2045, 6.7) as Latin-1. */
function unquote(text: string): string {
  return text
    .replaceAll(/=[ \t]*\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
}
