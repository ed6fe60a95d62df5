import ts from 'typescript'
import type { Step } from '../contract/places.js'

/**
 * The declarations behind a symbol, through imports. A property of a union, a spread or a mapped
 * type has those of the properties that it is made of.
 */
export function findDeclarations(
  symbol: ts.Symbol | undefined,
  checker: ts.TypeChecker,
): readonly ts.Declaration[] {
  if (symbol === undefined) return []
  const target =
    (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)
  return target.declarations ?? []
}

/** The members of a union, or the type itself. A type parameter counts as its constraint. */
export function listParts(type: ts.Type, checker: ts.TypeChecker): readonly ts.Type[] {
  const known = checker.getNonNullableType(checker.getBaseConstraintOfType(type) ?? type)
  return known.isUnion() ? known.types : [known]
}

/** The symbols of a property in all members of a type that have it. */
export function listProperties(
  type: ts.Type,
  name: string,
  checker: ts.TypeChecker,
): readonly ts.Symbol[] {
  return listParts(type, checker).flatMap((part) => checker.getPropertyOfType(part, name) ?? [])
}

/** The types at the end of a path. */
export function findTypesAt(
  types: readonly ts.Type[],
  path: readonly Step[],
  checker: ts.TypeChecker,
): readonly ts.Type[] {
  let found = types
  for (const step of path) found = found.flatMap((type) => findMemberTypes(type, step, checker))
  return found
}

function findMemberTypes(type: ts.Type, step: Step, checker: ts.TypeChecker): readonly ts.Type[] {
  if (step !== null)
    return listProperties(type, step, checker).map((one) => checker.getTypeOfSymbol(one))
  return listParts(type, checker).flatMap(
    (part) =>
      checker.getIndexTypeOfType(part, ts.IndexKind.Number) ??
      checker.getIndexTypeOfType(part, ts.IndexKind.String) ??
      [],
  )
}

/** The declarations of the property at the end of a path. */
export function findDeclarationsAt(
  types: readonly ts.Type[],
  path: readonly Step[],
  checker: ts.TypeChecker,
): readonly ts.Declaration[] {
  // an item of an array has the place of the property that holds the list
  const last = path.findLastIndex((step) => step !== null)
  const name = path[last]
  if (typeof name !== 'string') return []
  return findTypesAt(types, path.slice(0, last), checker)
    .flatMap((type) => listProperties(type, name, checker))
    .flatMap((symbol) => findDeclarations(symbol, checker))
}

/** The text of a literal that names a property. */
export function readLiteral(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined
}

/** Types by node: the compiler resolves a generic call again for each request. */
const known = new WeakMap<ts.Node, ts.Type>()

/**
 * The type that the place of an expression expects. In a call of a generic function this is what
 * the function says, and not what it infers from the argument itself.
 */
export function findExpectedType(
  node: ts.Expression,
  checker: ts.TypeChecker,
): ts.Type | undefined {
  const found =
    known.get(node) ??
    (isInGenericCall(node, checker)
      ? findUninferredType(node, checker)
      : checker.getContextualType(node))
  if (found !== undefined) known.set(node, found)
  return found
}

function isInGenericCall(node: ts.Expression, checker: ts.TypeChecker): boolean {
  const call = ts.findAncestor(node.parent, (one) =>
    ts.isCallExpression(one)
      ? true
      : ts.isFunctionLike(one) || ts.isStatement(one)
        ? 'quit'
        : false,
  )
  if (call === undefined || !ts.isCallExpression(call)) return false
  return (checker.getResolvedSignature(call)?.declaration?.typeParameters?.length ?? 0) > 0
}

/**
 * Editors use this flag to offer members. The flag is not in the compiler's
 * declarations; the manifest of this package names the compiler's exact version.
 */
function findUninferredType(node: ts.Expression, checker: ts.TypeChecker): ts.Type | undefined {
  const flags = (ts as unknown as { readonly ContextFlags: Readonly<Record<string, number>> })
    .ContextFlags
  const asked = checker as {
    readonly getContextualType: (node: ts.Expression, flags?: number) => ts.Type | undefined
  }
  return asked.getContextualType(node, flags['IgnoreNodeInferences'])
}
