import { useEffect, useState } from 'preact/hooks'
import type { Schema, Shape } from '../contract/schema.js'
import { formatValue } from '../call/serialize.js'

type Labelled = {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
}
type Props = {
  readonly shape: Shape
  readonly schema: Schema
  readonly value: unknown
  readonly required: boolean
  readonly labelled: Labelled
  readonly onChange: (value: unknown) => void
}

/** Longer lists become an input with suggestions. */
const maxInList = 12

/** The input of a value without fields or items. */
export function PlainInput({ shape, schema, value, required, labelled, onChange }: Props) {
  const given = value === undefined || value === null ? '' : formatValue(value)
  const placeholder = schema.default === undefined ? '' : formatValue(schema.default)
  const text = (typed: unknown) => onChange(typed === '' ? undefined : typed)
  if (shape.kind === 'choice' && shape.values.length > maxInList) {
    const list = `${labelled.id}-choices`
    return (
      <>
        <input
          {...labelled}
          list={list}
          value={given}
          placeholder={placeholder === '' ? `one of ${shape.values.length}` : placeholder}
          spellcheck={false}
          onInput={({ currentTarget: { value: typed } }) =>
            text(shape.values.find((choice) => String(choice) === typed) ?? typed)
          }
        />
        <datalist id={list}>
          {shape.values.map((choice) => (
            <option value={String(choice)} />
          ))}
        </datalist>
      </>
    )
  }
  if (shape.kind === 'choice' || shape.kind === 'flag') {
    const choices = shape.kind === 'flag' ? [true, false] : shape.values
    return (
      <select
        {...labelled}
        value={given}
        onChange={(event) =>
          onChange(choices.find((choice) => String(choice) === event.currentTarget.value))
        }
      >
        {!(required && value !== undefined) && (
          <option value="">{placeholder === '' ? '(left out)' : `(default ${placeholder})`}</option>
        )}
        {choices.map((choice) => (
          <option value={String(choice)}>{String(choice)}</option>
        ))}
      </select>
    )
  }
  if (shape.kind === 'number') {
    const { minimum, maximum } = schema
    const limits = {
      ...(minimum !== undefined && { min: minimum }),
      ...(maximum !== undefined && { max: maximum }),
    }
    const number = (typed: string) => onChange(typed === '' ? undefined : Number(typed))
    return (
      <input
        {...labelled}
        {...limits}
        type="number"
        step={shape.integer ? 1 : 'any'}
        value={given}
        placeholder={placeholder}
        onInput={(event) => number(event.currentTarget.value)}
      />
    )
  }
  if (shape.kind === 'file')
    return (
      <input
        {...labelled}
        type="file"
        onChange={(event) => onChange(event.currentTarget.files?.[0])}
      />
    )
  if (shape.kind === 'nothing') return <input {...labelled} value="null" readOnly />
  if (shape.kind !== 'text')
    return <JsonInput labelled={labelled} value={value} rows={3} onChange={onChange} />
  const input = { ...labelled, value: given, placeholder, spellcheck: false }
  if (shape.long)
    return <textarea {...input} rows={2} onInput={(event) => text(event.currentTarget.value)} />
  return <input {...input} onInput={(event) => text(event.currentTarget.value)} />
}

type JsonProps = {
  readonly labelled: { readonly id: string; readonly 'aria-describedby'?: string }
  readonly value: unknown
  readonly rows: number
  readonly onChange: (value: unknown) => void
}

/** A value as JSON. Invalid JSON stays in the input with a message, and is not passed on. */
export function JsonInput({ labelled, value, rows, onChange }: JsonProps) {
  const json = JSON.stringify(value, null, 2) ?? ''
  const [text, setText] = useState(json)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    // only for a change from outside: one made here is already in the text
    if (json !== normalize(text)) {
      setText(json)
      setProblem(undefined)
    }
  }, [json])
  const take = (changed: string) => {
    setText(changed)
    try {
      onChange(changed.trim() === '' ? undefined : JSON.parse(changed))
      setProblem(undefined)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
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

function normalize(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return undefined
  }
}
