import { Refusal } from '../command.js'
import type { Folder, NewFile } from './folder.js'
import type { OfferedTool } from './offered.js'

export type ToolResult = {
  readonly isError?: boolean
  readonly content: readonly Content[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
}

type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'audio'; readonly data: string; readonly mimeType: string }
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
}

/**
 * Turns the response of an operation into the result of its tool: JSON into structured content,
 * bytes into a file of the folder, or without a folder into content.
 */
export async function toToolResult(
  { name, outputSchema }: OfferedTool,
  result: unknown,
  { folder, output }: { readonly folder: Folder | undefined; readonly output: NewFile | undefined },
): Promise<ToolResult> {
  if (!(result instanceof Response)) {
    await output?.remove()
    if (typeof result === 'string') return { content: [{ type: 'text', text: result }] }
    const isObject = typeof result === 'object' && result !== null && !Array.isArray(result)
    const structured = isObject ? (result as Readonly<Record<string, unknown>>) : { result }
    return {
      content: [{ type: 'text', text: JSON.stringify(result) }],
      ...(outputSchema !== undefined && { structuredContent: structured }),
    }
  }
  const bytes = new Uint8Array(await result.arrayBuffer())
  const mimeType =
    (result.headers.get('content-type') ?? 'application/octet-stream').split(';', 1)[0] ?? ''
  const file =
    output ?? (await folder?.create(`${name}-${crypto.randomUUID()}.${endings[mimeType] ?? 'bin'}`))
  if (file !== undefined) {
    await file.write(bytes)
    await file.close()
    const summary = `Saved ${file.name}: ${bytes.length} bytes of ${mimeType}.`
    return {
      content: [
        { type: 'text', text: summary },
        { type: 'resource_link', uri: file.url, name: file.name, mimeType },
      ],
    }
  }
  if (bytes.length > inlineLimit) {
    throw new Refusal(
      'too_large',
      `The response has ${bytes.length} bytes, too many for a conversation. It was paid for; start the server with --folder and use the same idempotencyKey.`,
    )
  }
  const data = Buffer.from(bytes).toString('base64')
  if (mimeType.startsWith('audio/')) return { content: [{ type: 'audio', data, mimeType }] }
  return {
    content: [
      {
        type: 'resource',
        resource: { uri: `farebox:${name}/${crypto.randomUUID()}`, mimeType, blob: data },
      },
    ],
  }
}
