import { type ComponentChildren, createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import {
  createInitial,
  describeBounds,
  findLabel,
  findOption,
  findShape,
  type Schema,
  type Shape,
} from '../contract/schema.js'
import { PlainInput } from './plain-input.js'
import type { Problems } from './problems.js'

export type FieldProps = {
  readonly name: string
  /** The path of the value, such as `body.elements.0`. */
  readonly at: string
  readonly schema: Schema
  readonly required: boolean
  readonly value: unknown
  readonly problems: Problems
  /** Distinguishes its id from that of an enclosing field at the same path. */
  readonly suffix?: string
  /** Takes the new value, or `undefined` to leave the field out. */
  readonly onChange: (value: unknown) => void
}

type InputProps<K extends Shape['kind']> = Omit<FieldProps, 'name'> & {
  readonly shape: Extract<Shape, { readonly kind: K }>
  readonly id: string
  readonly name: string
}

/** A field with its label, input, hint and problem. */
export function Field(props: FieldProps) {
  const { name, at, schema, required, problems, suffix = '' } = props
  const shape = findShape(schema)
  const id = `${useContext(Scope)}-${at.replaceAll(/[^\w-]/g, '-')}${suffix}`
  const problem = problems[at]
  const told = `${id}-told`
  const labelled = { id, 'aria-describedby': told, 'aria-invalid': problem !== undefined }
  const group = shape.kind === 'object' || shape.kind === 'list' || shape.kind === 'union'
  const about = (
    <div id={told} class="fbr-told">
      {problem !== undefined && <p class="fbr-problem">{problem}</p>}
      {schema.description !== undefined && <p class="fbr-hint">{schema.description}</p>}
    </div>
  )
  const title = (
    <>
      {name}
      {required && <span class="fbr-required"> required</span>}
      <span class="fbr-bounds"> {describeBounds(schema).join(', ')}</span>
    </>
  )
  if (group) {
    return (
      <fieldset
        class="fbr-field"
        aria-describedby={told}
        aria-invalid={problem !== undefined}
        id={id}
        tabIndex={-1}
      >
        <legend>{title}</legend>
        {about}
        {shape.kind === 'object' && <ObjectInput {...props} shape={shape} />}
        {shape.kind === 'list' && <ListInput {...props} id={id} shape={shape} />}
        {shape.kind === 'union' && <UnionInput {...props} id={id} shape={shape} />}
      </fieldset>
    )
  }
  return (
    <div class="fbr-field">
      <label for={id}>{title}</label>
      <PlainInput {...props} shape={shape} labelled={labelled} />
      {about}
    </div>
  )
}

/** The fields of an object: first those that are required or filled in, the others in `<details>`. */
export function ObjectInput({
  at,
  shape,
  value,
  problems,
  onChange,
}: Omit<InputProps<'object'>, 'schema' | 'required' | 'name' | 'id'>) {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>
  const [first] = useState(() => new Set(Object.keys(given)))
  const names = Object.keys(shape.properties)
  const isFirst = (name: string) => shape.required.has(name) || first.has(name) || names.length <= 4
  const field = (name: string) => (
    <Field
      key={name}
      name={name}
      at={`${at}.${name}`}
      schema={shape.properties[name] ?? {}}
      required={shape.required.has(name)}
      value={given[name]}
      problems={problems}
      onChange={(member) => onChange(withMember(given, name, member))}
    />
  )
  const others = names.filter((name) => !isFirst(name))
  const wrong = others.some((name) =>
    Object.keys(problems).some((place) => `${place}.`.startsWith(`${at}.${name}.`)),
  )
  return (
    <>
      {names.filter(isFirst).map(field)}
      {others.length > 0 && (
        <details open={wrong}>
          <summary>{others.length} more fields</summary>
          {others.map(field)}
        </details>
      )}
    </>
  )
}

function ListInput({ at, shape, schema, value, problems, onChange, name }: InputProps<'list'>) {
  const items = Array.isArray(value) ? (value as readonly unknown[]) : []
  const without = (index: number) => items.filter((_, other) => other !== index)
  return (
    <>
      {items.map((item, index) => (
        <div class="fbr-item" key={index}>
          <Field
            name={`${name} ${index + 1}`}
            at={`${at}.${index}`}
            schema={shape.items}
            required
            value={item}
            problems={problems}
            onChange={(changed) => onChange(items.with(index, changed))}
          />
          <button
            type="button"
            class="fbr-small"
            onClick={() => onChange(items.length === 1 ? undefined : without(index))}
          >
            Remove {name} {index + 1}
          </button>
        </div>
      ))}
      {items.length < (schema.maxItems ?? Infinity) && (
        <button
          type="button"
          class="fbr-small"
          onClick={() => onChange([...items, createInitial(shape.items)])}
        >
          Add to {name}
        </button>
      )}
    </>
  )
}

function UnionInput({
  at,
  shape,
  value,
  required,
  problems,
  onChange,
  name,
  id,
}: InputProps<'union'>) {
  const [chosen, choose] = useState(() => findOption(shape.options, value))
  const option = shape.options[chosen] ?? {}
  return (
    <>
      <label class="fbr-as">
        <span>{name} as</span>
        <select
          id={`${id}-as`}
          value={String(chosen)}
          onChange={(event) => {
            choose(Number(event.currentTarget.value))
            onChange(
              required
                ? createInitial(shape.options[Number(event.currentTarget.value)] ?? {})
                : undefined,
            )
          }}
        >
          {shape.options.map((one, index) => (
            <option value={String(index)}>{findLabel(one)}</option>
          ))}
        </select>
      </label>
      <Field
        key={chosen}
        name={name}
        at={at}
        suffix={`-as-${chosen}`}
        schema={option}
        required={required}
        value={value}
        problems={{}}
        onChange={onChange}
      />
      <Nested problems={problems} at={at} />
    </>
  )
}

/** The problems of a union's selected option, which does not show them at its fields. */
function Nested({
  problems,
  at,
}: {
  readonly problems: Problems
  readonly at: string
}): ComponentChildren {
  const within = Object.entries(problems).filter(([place]) => place.startsWith(`${at}.`))
  return within.map(([place, problem]) => (
    <p class="fbr-problem">
      {place.slice(at.length + 1)}: {problem}
    </p>
  ))
}

function withMember(
  given: Readonly<Record<string, unknown>>,
  name: string,
  member: unknown,
): unknown {
  const { [name]: _, ...others } = given
  return member === undefined ? others : { ...given, [name]: member }
}

/** The prefix of all ids in a form, because a page may have several forms. */
export const Scope = createContext('field')
