import { CommandError } from '../command.js'
import type { Folder, NewFile } from './folder.js'
import type { OfferedTool } from './offered.js'

export type ToolResult = {
  readonly isError?: boolean
  readonly content: readonly Content[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
}

type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'audio' | 'image'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource'
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string }
    }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly mimeType: string
    }

/** The largest number of bytes in a result. */
const inlineLimit = 8 * 1024 * 1024

const endings: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/opus': 'opus',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/wav': 'wav',
  'audio/pcm': 'pcm',
  'video/mp4': 'mp4',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
}

/** The formats of images that JSON holds in base64, by how they begin. */
const images: readonly (readonly [start: RegExp, mimeType: string])[] = [
  [/^iVBORw0KGgo/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^UklGR[\w+/]{6}XRUJQ/, 'image/webp'],
]

type Target = {
  readonly folder: Folder | undefined
  readonly output: NewFile | undefined
  /** The Idempotency-Key of the call, which asks for the same result again free of charge. */
  readonly repeatKey: string | undefined
}

/**
 * Turns the response of an operation into the result of its tool: JSON into structured content,
 * bytes, and images in JSON, into files of the folder, or without a folder into content.
 */
export async function toToolResult(
  tool: OfferedTool,
  result: unknown,
  { folder, output, repeatKey }: Target,
): Promise<ToolResult> {
  const toContent = async (bytes: Uint8Array, mimeType: string, file?: NewFile) => {
    const name = `${tool.name}-${crypto.randomUUID()}`
    const target = file ?? (await folder?.create(`${name}.${endings[mimeType] ?? 'bin'}`))
    if (target !== undefined) return save(target, bytes, mimeType)
    if (bytes.length <= inlineLimit) return toInlineContent(tool.name, bytes, mimeType)
    const again =
      repeatKey === undefined ? '' : `, and repeat the call with the idempotencyKey "${repeatKey}"`
    throw new CommandError(
      'too_large',
      `The response has ${bytes.length} bytes, too many for a conversation. It was paid for; start the server with --folder${again}.`,
    )
  }
  if (!(result instanceof Response)) {
    await output?.remove()
    return toJsonResult(tool, result, toContent)
  }
  const bytes = new Uint8Array(await result.arrayBuffer())
  const [mimeType = ''] = (result.headers.get('content-type') ?? 'application/octet-stream').split(
    ';',
    1,
  )
  const content = await toContent(bytes, mimeType, output)
  if (content.type !== 'resource_link') return { content: [content] }
  const text = `Saved ${content.name}: ${bytes.length} bytes of ${mimeType}.`
  return { content: [{ type: 'text', text }, content] }
}

/** An image in JSON would fill the conversation as text, so the JSON says where it is instead. */
async function toJsonResult(
  { outputSchema }: OfferedTool,
  result: unknown,
  toContent: (bytes: Uint8Array, mimeType: string) => Promise<Content>,
): Promise<ToolResult> {
  if (typeof result === 'string') return { content: [{ type: 'text', text: result }] }
  const media: { readonly data: string; readonly mimeType: string }[] = []
  const text = JSON.stringify(result, (_name, value: unknown) => {
    const mimeType =
      typeof value === 'string' && value.length > 1_000
        ? images.find(([start]) => start.test(value))?.[1]
        : undefined
    if (mimeType === undefined) return value
    return `image ${media.push({ data: value as string, mimeType })} of this result`
  })
  const contents: Content[] = []
  for (const { data, mimeType } of media)
    contents.push(await toContent(Buffer.from(data, 'base64'), mimeType))
  const json = JSON.parse(text) as unknown
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  return {
    content: [{ type: 'text', text }, ...contents],
    ...(outputSchema !== undefined && {
      structuredContent: isObject ? (json as Readonly<Record<string, unknown>>) : { result: json },
    }),
  }
}

/** Leaves no file if it cannot be written. */
async function save(file: NewFile, bytes: Uint8Array, mimeType: string) {
  try {
    await file.write(bytes)
    await file.close()
  } catch (error) {
    await file.remove()
    throw error
  }
  return { type: 'resource_link', uri: file.url, name: file.name, mimeType } as const
}

function toInlineContent(name: string, bytes: Uint8Array, mimeType: string): Content {
  const data = Buffer.from(bytes).toString('base64')
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType }
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType }
  const uri = `farebox:${name}/${crypto.randomUUID()}`
  return { type: 'resource', resource: { uri, mimeType, blob: data } }
}
