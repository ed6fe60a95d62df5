import ts from 'typescript'

/** A place at which two types differ, and the kind of the difference. */
export type Difference = { readonly kind: string; readonly place: string }

/**
 * Compares the interface `paths` of two files, by structure and without regard to names, order and
 * `readonly`. A pair of types is compared once.
 */
export function comparePaths(
  theirs: string,
  ours: string,
): { readonly operations: number; readonly differences: readonly Difference[] } {
  const program = ts.createProgram([theirs, ours], {
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  })
  const checker = program.getTypeChecker()
  const [one, other] = [theirs, ours].map((file) => readPaths(program, checker, file))
  if (one === undefined || other === undefined) throw new Error('A file has no paths')
  const differences: Difference[] = []
  const seen = new Map<ts.Type, Set<ts.Type>>()

  const properties = (type: ts.Type): ReadonlyMap<string, ts.Symbol> =>
    new Map(checker.getPropertiesOfType(type).map((symbol) => [symbol.name, symbol]))
  const parts = (type: ts.Type): readonly ts.Type[] =>
    (type.isUnion() ? type.types : [type]).filter(
      ({ flags }) => (flags & ts.TypeFlags.Undefined) === 0,
    )

  /** Adds the differences of two types to an array. */
  const compare = (a: ts.Type, b: ts.Type, place: string, found: Difference[]): void => {
    if (a === b) return
    const known = seen.get(a) ?? new Set()
    if (known.has(b)) return
    seen.set(a, known.add(b))
    const note = (kind: string): void => void found.push({ kind, place })
    const [as, bs] = [parts(a), parts(b)]
    if (as.length !== 1 || bs.length !== 1) return compareUnions(as, bs, place, found)
    const [left = a, right = b] = [as[0], bs[0]]
    const [from, to] = [describe(left, checker), describe(right, checker)]
    if (from !== to) return note(`${from} is ${to}`)
    if (from === 'list')
      return compare(readItem(left, checker), readItem(right, checker), `${place}/*`, found)
    if (from !== 'object') return
    const [mine, yours] = [properties(left), properties(right)]
    for (const [name, symbol] of mine) {
      const match = yours.get(name)
      if (match === undefined) {
        note(isAbsent(symbol, checker) ? 'an absent member is left out' : 'a member is missing')
        continue
      }
      const inner = `${place}/${name}`
      if (isAbsent(match, checker) && !isAbsent(symbol, checker)) {
        found.push({ kind: 'a member of the other direction is absent', place: inner })
        continue
      }
      const [optional, given] = [symbol, match].map(
        ({ flags }) => (flags & ts.SymbolFlags.Optional) !== 0,
      )
      if (optional !== given)
        found.push({
          kind: optional ? 'an optional member is required' : 'a required member is optional',
          place: inner,
        })
      compare(checker.getTypeOfSymbol(symbol), checker.getTypeOfSymbol(match), inner, found)
    }
    for (const [name, symbol] of yours)
      if (!mine.has(name) && !isAbsent(symbol, checker))
        found.push({ kind: 'a member is added', place: `${place}/${name}` })
    const [index, indexOfOther] = [left, right].map((type) => type.getStringIndexType())
    if (index && indexOfOther) compare(index, indexOfOther, `${place}/*`, found)
    else if (index) note('an open object is closed')
    else if (indexOfOther) note('a closed object is open')
  }

  /** Each part of a union must be a part of the other. */
  const compareUnions = (
    as: readonly ts.Type[],
    bs: readonly ts.Type[],
    place: string,
    found: Difference[],
  ): void => {
    const matches = (a: ts.Type, b: ts.Type): boolean => {
      if (a === b) return true
      const [from, to] = [describe(a, checker), describe(b, checker)]
      if (from !== to) return false
      if (from !== 'object' && from !== 'list') return true
      const inner: Difference[] = []
      seen.get(a)?.delete(b)
      compare(a, b, place, inner)
      return inner.length === 0
    }
    const lost = as.filter((a) => !bs.some((b) => matches(a, b)))
    const added = bs.filter((b) => !as.some((a) => matches(a, b)))
    if (lost.length === 0 && added.length === 0) return
    const [from = [], to = []] = [lost, added].map((types) => [
      ...new Set(types.map((type) => describe(type, checker).split(' ')[0] ?? '')),
    ])
    const isOpened = ['boolean', 'number', 'string'].every((kind) => to.includes(kind))
    if (isOpened)
      return void found.push({ kind: 'a schema without type is not only an object', place })
    const [was, is] = [from, to].map(
      (kinds) => kinds.toSorted((one, next) => (one < next ? -1 : 1)).join(' or ') || 'nothing',
    )
    found.push({ kind: `in a union, ${was} is ${is}`, place })
  }

  let operations = 0
  for (const [path, item] of properties(one)) {
    const match = properties(other).get(path)
    if (match === undefined) {
      differences.push({ kind: 'a path is missing', place: path })
      continue
    }
    operations += [...properties(checker.getTypeOfSymbol(item))].filter(
      ([name, symbol]) => name !== 'parameters' && !isAbsent(symbol, checker),
    ).length
    compare(checker.getTypeOfSymbol(item), checker.getTypeOfSymbol(match), path, differences)
  }
  for (const [path] of properties(other))
    if (!properties(one).has(path)) differences.push({ kind: 'a path is added', place: path })
  return { operations, differences }
}

function readPaths(
  program: ts.Program,
  checker: ts.TypeChecker,
  file: string,
): ts.Type | undefined {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  const symbol = module && checker.getExportsOfModule(module).find(({ name }) => name === 'paths')
  return symbol && checker.getDeclaredTypeOfSymbol(symbol)
}

/** What is not there: an optional member of the type never. */
function isAbsent(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  const { flags } = checker.getTypeOfSymbol(symbol)
  return (flags & (ts.TypeFlags.Never | ts.TypeFlags.Undefined)) !== 0
}

function readItem(type: ts.Type, checker: ts.TypeChecker): ts.Type {
  return checker.getIndexTypeOfType(type, ts.IndexKind.Number) ?? type
}

function describe(type: ts.Type, checker: ts.TypeChecker): string {
  const { flags } = type
  if ((flags & ts.TypeFlags.Unknown) !== 0) return 'unknown'
  if ((flags & ts.TypeFlags.Never) !== 0) return 'never'
  if ((flags & ts.TypeFlags.Null) !== 0) return 'null'
  if ((flags & ts.TypeFlags.BooleanLike) !== 0) return 'boolean'
  if (type.isLiteral()) return `literal ${JSON.stringify(type.value)}`
  if ((flags & ts.TypeFlags.StringLike) !== 0) return 'string'
  if ((flags & ts.TypeFlags.NumberLike) !== 0) return 'number'
  if (checker.isArrayLikeType(type)) return 'list'
  return 'object'
}
