import { toPlainString } from '../client/text.js'

/** The kinds of values of a schema: what tells how a string is to be read. */
export type Shape =
  | { readonly kind: 'any' | 'text' | 'number' | 'boolean' | 'file' }
  | { readonly kind: 'values'; readonly values: readonly unknown[] }
  | { readonly kind: 'list'; readonly prefix?: readonly Shape[]; readonly items: Shape }
  | {
      readonly kind: 'record'
      readonly fields: Readonly<Record<string, Shape>>
      readonly rest?: Shape
    }
  | { readonly kind: 'choice'; readonly of: readonly Shape[] }
  | { readonly kind: 'ref'; readonly name: string }

/** The named schemas that shapes refer to. */
export type Shapes = Readonly<Record<string, Shape>>

export type Leaf = Exclude<Shape, { readonly kind: 'choice' | 'ref' }>
type Of<Kind extends Leaf['kind']> = Extract<Leaf, { readonly kind: Kind }>

/** A shape without its choices and references. */
export type Leaves = {
  readonly scalars: readonly Leaf[]
  readonly lists: readonly Of<'list'>[]
  readonly records: readonly Of<'record'>[]
}

export function listLeaves(shape: Shape, shapes: Shapes): Leaves {
  const all = new Set<Leaf>()
  const seen = new Set<Shape>()
  const collect = (one: Shape | undefined): void => {
    if (one === undefined || seen.has(one)) return
    seen.add(one)
    if (one.kind === 'ref') collect(Object.hasOwn(shapes, one.name) ? shapes[one.name] : undefined)
    else if (one.kind === 'choice') one.of.forEach(collect)
    else all.add(one)
  }
  collect(shape)
  const leaves = [...all]
  return {
    scalars: leaves.filter(({ kind }) => kind !== 'list' && kind !== 'record' && kind !== 'any'),
    lists: leaves.filter((leaf) => leaf.kind === 'list'),
    records: leaves.filter((leaf) => leaf.kind === 'record'),
  }
}

/** The shape of an element. */
export function findItemShape({ lists }: Leaves, index: number): Shape {
  return { kind: 'choice', of: lists.map(({ prefix = [], items }) => prefix[index] ?? items) }
}

/** The shape of a field; undefined where no record has a field of this name. */
export function findFieldShape({ records }: Leaves, name: string): Shape | undefined {
  const of = records.flatMap(({ fields, rest }) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : rest
    return field === undefined ? [] : [field]
  })
  return of.length === 0 ? undefined : { kind: 'choice', of }
}

/**
 * Reads a string as a value of a shape, as the client writes it. It is a number or a boolean where
 * the schema has such values and the text is one; where the schema also takes texts, only if the
 * client would write that value so. An array or a record within a string is JSON. A schema that says
 * nothing takes texts.
 */
export function parseValue(text: string, shape: Shape, shapes: Shapes): unknown {
  const { scalars, lists, records } = listLeaves(shape, shapes)
  const structured = lists.length + records.length > 0
  if (structured && (scalars.length === 0 || /^\s*[[{]/.test(text))) {
    const value = parseJson(text)
    if (value !== undefined) return value
  }
  for (const leaf of scalars) {
    const listed =
      leaf.kind === 'values'
        ? leaf.values.find((value) => value !== null && toPlainString(value) === text)
        : undefined
    if (listed !== undefined) return listed
  }
  const takesText = scalars.some(({ kind }) => kind === 'text')
  if (
    scalars.some(({ kind }) => kind === 'number') &&
    isNumber(text) &&
    (!takesText || String(Number(text)) === text)
  )
    return Number(text)
  if (scalars.some(({ kind }) => kind === 'boolean') && (text === 'true' || text === 'false'))
    return text === 'true'
  return text
}

function isNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
