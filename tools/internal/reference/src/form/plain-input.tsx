import type { Schema, Shape } from '../contract/schema.js'
import { written } from '../contract/written.js'
import { JsonInput } from './json-input.js'

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

/** A longer list of choices is searched by typing a part of one. */
const mostInList = 12

/** The input of a value that has no values within it. */
export function PlainInput({ shape, schema, value, required, labelled, onChange }: Props) {
  const given = value === undefined || value === null ? '' : written(value)
  const placeholder = schema.default === undefined ? '' : written(schema.default)
  const text = (typed: unknown) => onChange(typed === '' ? undefined : typed)
  if (shape.kind === 'choice' && shape.values.length > mostInList) {
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
