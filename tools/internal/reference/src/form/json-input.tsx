import { useEffect, useState } from 'preact/hooks'

type Props = {
  readonly labelled: { readonly id: string; readonly 'aria-describedby'?: string }
  readonly value: unknown
  readonly rows: number
  readonly onChange: (value: unknown) => void
}

/** A value as JSON. What is not JSON stays in the input, is said, and is not passed on. */
export function JsonInput({ labelled, value, rows, onChange }: Props) {
  const written = JSON.stringify(value, null, 2) ?? ''
  const [text, write] = useState(written)
  const [problem, say] = useState<string>()
  useEffect(() => {
    // a change from outside; one from here is already in the text
    if (written !== normal(text)) {
      write(written)
      say(undefined)
    }
  }, [written])
  const take = (changed: string) => {
    write(changed)
    try {
      onChange(changed.trim() === '' ? undefined : JSON.parse(changed))
      say(undefined)
    } catch (error) {
      say(error instanceof Error ? error.message : String(error))
    }
  }
  const problemId = `${labelled.id}-json`
  return (
    <>
      <textarea
        {...labelled}
        aria-describedby={`${labelled['aria-describedby'] ?? ''} ${problemId}`.trim()}
        aria-invalid={problem !== undefined}
        rows={rows}
        spellcheck={false}
        value={text}
        onInput={(event) => take(event.currentTarget.value)}
      />
      <p id={problemId} class="fbr-problem" role="status">
        {problem !== undefined && `Not JSON yet: ${problem}`}
      </p>
    </>
  )
}

function normal(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return undefined
  }
}
