import { ts } from 'ts-morph'

/** Types by node: the compiler resolves a generic call anew for each question. */
const known = new WeakMap<ts.Node, ts.Type>()

/**
 * The type that the place of an expression expects. In a call of a generic function this is what
 * the function says, and not what it infers from the argument itself.
 */
export function expectedType(node: ts.Expression, checker: ts.TypeChecker): ts.Type | undefined {
  const found =
    known.get(node) ??
    (isInGenericCall(node, checker)
      ? withoutInference(node, checker)
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
 * Editors ask in this way which members they should offer. The flag is not in the compiler's
 * declarations; ts-morph brings the compiler, in the exact version of this package's manifest.
 */
function withoutInference(node: ts.Expression, checker: ts.TypeChecker): ts.Type | undefined {
  const flags = (ts as unknown as { readonly ContextFlags: Readonly<Record<string, number>> })
    .ContextFlags
  const asked = checker as {
    readonly getContextualType: (node: ts.Expression, flags?: number) => ts.Type | undefined
  }
  return asked.getContextualType(node, flags['IgnoreNodeInferences'])
}
