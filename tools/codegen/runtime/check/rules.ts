/** What is wrong with a value: where, in words, and the keyword of JSON Schema. */
export type Issue = {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly keyword: string
}

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** Checks a value. Also a Standard Schema (https://standardschema.dev). */
export type Check<T> = {
  (value: unknown): Checked<T>
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'farebox'
    readonly validate: (
      value: unknown,
    ) => { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] }
    readonly types?: { readonly input: T; readonly output: T } | undefined
  }
}

/** Where issues are collected. Without it, the first one ends a validation. */
export type Faults = { readonly path: readonly PropertyKey[]; readonly issues: Issue[] }

/**
 * Whether a value is valid. With `faults`, collects what is wrong and returns true if it can go on.
 */
export type Validate = (value: unknown, faults?: Faults) => boolean

/* @__NO_SIDE_EFFECTS__ */
export function createCheck<T>(validate: Validate): Check<T> {
  const check = (value: unknown): Checked<T> =>
    validate(value)
      ? { ok: true, value: value as T }
      : { ok: false, issues: findIssues(validate, value) }
  return Object.assign(check, {
    '~standard': {
      version: 1 as const,
      vendor: 'farebox' as const,
      validate: (value: unknown) =>
        validate(value) ? { value: value as T } : { issues: findIssues(validate, value) },
    },
  })
}

function findIssues(validate: Validate, value: unknown): readonly Issue[] {
  const issues: Issue[] = []
  validate(value, { path: [], issues })
  // several parts of a schema may say the same of one place
  return issues.filter(
    (issue, index) =>
      issues.findIndex(
        ({ message, path }) =>
          message === issue.message && path.join('\n') === issue.path.join('\n'),
      ) === index,
  )
}

/** The place of a property or an element. */
export function enter(faults: Faults | undefined, key: PropertyKey): Faults | undefined {
  return faults && { path: [...faults.path, key], issues: faults.issues }
}

/** Notes an issue and goes on, or ends the validation. */
export function report(
  faults: Faults | undefined,
  value: unknown,
  keyword: string,
  expected: string,
  key?: PropertyKey,
): boolean {
  if (faults === undefined) return false
  const isMissing = value === undefined && keyword === 'type'
  faults.issues.push({
    path: key === undefined ? faults.path : [...faults.path, key],
    message: `Expected ${expected}, found ${describe(value)}`,
    keyword: isMissing ? 'required' : keyword,
  })
  return true
}

/** No content of strings: it may be a secret. */
function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return `${value}`
  return Array.isArray(value)
    ? 'an array'
    : typeof value === 'object'
      ? 'an object'
      : `a ${typeof value}`
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The same without a type, for values of any. */
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isBinary(value: unknown): boolean {
  return value instanceof Uint8Array || (typeof Blob === 'function' && value instanceof Blob)
}

/** In code points, as JSON Schema counts them. */
export function minLength(text: string, min: number): boolean {
  return text.length >= min && (text.length >= 2 * min || countPoints(text) >= min)
}

export function maxLength(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && countPoints(text) <= max)
}

function countPoints(text: string): number {
  let points = 0
  for (const _ of text) points += 1
  return points
}

/** A whole multiple in decimal arithmetic: 0.3 is a multiple of 0.1. */
export function isMultiple(value: number, step: number): boolean {
  const [digits, exponent] = toDecimal(value)
  const [stepDigits, stepExponent] = toDecimal(step)
  const shift = Math.min(exponent, stepExponent)
  return (
    (digits * 10n ** BigInt(exponent - shift)) %
      (stepDigits * 10n ** BigInt(stepExponent - shift)) ===
    0n
  )
}

function toDecimal(value: number): readonly [digits: bigint, exponent: number] {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}

/** A form in which values are equal that are equal in JSON. */
export function canonicalize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join()}]`
  if (typeof value !== 'object' || value === null)
    return typeof value === 'number' ? String(value + 0) : (JSON.stringify(value) ?? 'undefined')
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalize(item)}`).join()}}`
}

export function isUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(canonicalize)).size === items.length
}

export function isContained(
  items: readonly unknown[],
  validate: Validate,
  min: number,
  max: number = Infinity,
): boolean {
  const count = items.filter((item) => validate(item)).length
  return count >= min && count <= max
}

/** Notes the issues of the form that fits best, of the right type if there is one. */
export function reportClosest(
  faults: Faults | undefined,
  value: unknown,
  keyword: string,
  options: readonly Validate[],
): boolean {
  if (faults === undefined) return false
  const depth = faults.path.length
  const found = options.map((validate) => {
    const issues: Issue[] = []
    validate(value, { path: faults.path, issues })
    return issues
  })
  const [best] = found
    .filter(
      (issues) =>
        !issues.some(({ path, keyword: word }) => word === 'type' && path.length === depth),
    )
    .sort((a, b) => a.length - b.length)
  if (best === undefined) return report(faults, value, keyword, 'one of several forms')
  faults.issues.push(...best)
  return true
}

/** Notes what is wrong with a value that none or more than one of these forms accept. */
export function reportOneOf(
  faults: Faults | undefined,
  value: unknown,
  options: readonly Validate[],
): boolean {
  return options.some((validate) => validate(value))
    ? report(faults, value, 'oneOf', 'exactly one form, which several are')
    : reportClosest(faults, value, 'oneOf', options)
}
