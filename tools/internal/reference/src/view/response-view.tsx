import { useEffect, useState } from 'preact/hooks'
import { isStream } from '../wire/exchange.js'

export type ResponseData = {
  readonly status: number
  readonly text: string
  readonly ms: number
  readonly blob: Blob
  readonly type: string
}

/** The status and the body of the last response, with a player for media and indented JSON. */
export function ResponseView({
  response: { status, text, ms, blob, type },
}: {
  readonly response: ResponseData
}) {
  return (
    <>
      <p>
        {status} {Math.round(ms)} ms, {blob.size} bytes
      </p>
      {/^(?:audio|video)\//.test(type) ? (
        <Media blob={blob} type={type} />
      ) : (
        <pre tabIndex={0} role="region" aria-label="Response body">
          {text}
        </pre>
      )}
    </>
  )
}

function Media({ blob, type }: { readonly blob: Blob; readonly type: string }) {
  const [url, setUrl] = useState('')
  useEffect(() => {
    const created = URL.createObjectURL(new Blob([blob], { type }))
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [blob, type])
  if (url === '') return null
  return type.startsWith('audio') ? <audio controls src={url} /> : <video controls src={url} />
}

/** Reads a response to its end, and shows the parts of a stream as they arrive. */
export async function readResponse(
  response: Response,
  ms: number,
  show: (response: ResponseData) => void,
): Promise<ResponseData> {
  const { status } = response
  const type = response.headers.get('content-type') ?? ''
  if (isStream(response)) {
    const parts: Uint8Array<ArrayBuffer>[] = []
    const decoder = new TextDecoder()
    let text = ''
    const collect = (): ResponseData => ({ status, text, ms, blob: new Blob(parts), type })
    const reader = response.body?.getReader()
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      parts.push(part.value)
      text += decoder.decode(part.value, { stream: true })
      show(collect())
    }
    return collect()
  }
  const blob = await response.blob()
  const text = /^(?:audio|video)\//.test(type) ? '' : await blob.text()
  return { status, text: indentJson(text), ms, blob, type }
}

function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
