import { useEffect, useState } from 'preact/hooks'

export type AnswerData = {
  readonly status: number
  readonly text: string
  readonly ms: number
  readonly blob: Blob
  readonly type: string
}

/** The status and the body of the last answer: media plays, JSON is laid out. */
export function Answer({
  answer: { status, text, ms, blob, type },
}: {
  readonly answer: AnswerData
}) {
  return (
    <>
      <p>
        {status} {Math.round(ms)} ms, {blob.size} bytes
      </p>
      {/^(?:audio|video)\//.test(type) ? (
        <Media blob={blob} type={type} />
      ) : (
        <pre tabIndex={0} role="region" aria-label="Body of the answer">
          {text}
        </pre>
      )}
    </>
  )
}

function Media({ blob, type }: { readonly blob: Blob; readonly type: string }) {
  const [url, show] = useState('')
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([blob], { type }))
    show(made)
    return () => URL.revokeObjectURL(made)
  }, [blob, type])
  if (url === '') return null
  return type.startsWith('audio') ? <audio controls src={url} /> : <video controls src={url} />
}

/** Reads a response to its end. */
export async function readAnswer(response: Response, ms: number): Promise<AnswerData> {
  const type = response.headers.get('content-type') ?? ''
  const blob = await response.blob()
  const text = /^(?:audio|video)\//.test(type) ? '' : await blob.text()
  return { status: response.status, text: laidOut(text), ms, blob, type }
}

function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
