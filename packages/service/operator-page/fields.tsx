/** The values of the fields of a form. */
export function readFields(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from(new FormData(form), ([name, value]) => [
      name,
      typeof value === 'string' ? value : '',
    ]),
  )
}

type FieldProps = {
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly required?: boolean
  readonly maxLength?: number
  readonly pattern?: string
}

export function Field({ label, value = '', ...input }: FieldProps) {
  return (
    <p>
      <label>
        {label}
        <input {...input} type="text" defaultValue={value} autocomplete="off" />
      </label>
    </p>
  )
}

type NumberFieldProps = {
  readonly name: string
  readonly label: string
  readonly value?: number
  readonly required?: boolean
  readonly min?: number
  readonly max?: number
  readonly step?: number | 'any'
  readonly placeholder?: string
}

export function NumberField({ label, value, min = 0, ...input }: NumberFieldProps) {
  return (
    <p>
      <label>
        {label}
        <input {...input} type="number" min={min} defaultValue={value ?? ''} autocomplete="off" />
      </label>
    </p>
  )
}

export const reasonField = (
  <Field name="reason" label="Why; the ledger keeps it" required maxLength={500} />
)

/** US dollars that move. */
export function AmountField({ optional }: { readonly optional?: string }) {
  return (
    <NumberField
      name="usd"
      label="US dollars"
      min={0.000001}
      step={0.000001}
      required={optional === undefined}
      {...(optional !== undefined && { placeholder: optional })}
    />
  )
}

type ChoiceProps<Value extends string> = {
  readonly label: string
  readonly values: readonly Value[]
  readonly value: Value | undefined
  readonly onChange: (value: Value | undefined) => void
}

/** Chooses one of the values, or all. */
export function Choice<Value extends string>({
  label,
  values,
  value,
  onChange,
}: ChoiceProps<Value>) {
  return (
    <label>
      {label}
      <select
        value={value ?? ''}
        onChange={({ currentTarget }) =>
          onChange(values.find((one) => one === currentTarget.value))
        }
      >
        <option value="">all</option>
        {values.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  )
}
