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
