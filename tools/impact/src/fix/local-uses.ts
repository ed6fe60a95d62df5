import { ts } from 'ts-morph'

/** The uses of an imported name in its file, without the import itself. */
export function findLocalUses(
  specifier: ts.ImportSpecifier,
  checker: ts.TypeChecker,
): readonly ts.Identifier[] {
  const { name } = specifier
  const wanted = checker.getSymbolAtLocation(name)
  const found: ts.Identifier[] = []
  const visit = (node: ts.Node): void => {
    if (
      ts.isIdentifier(node) &&
      node !== name &&
      node.text === name.text &&
      findSymbol(node, checker) === wanted
    )
      found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(specifier.getSourceFile())
  return found
}

/** The variable or import that a name stands for, also where it is a member or an export too. */
function findSymbol(node: ts.Identifier, checker: ts.TypeChecker): ts.Symbol | undefined {
  const { parent } = node
  if (ts.isShorthandPropertyAssignment(parent))
    return checker.getShorthandAssignmentValueSymbol(parent)
  if (ts.isExportSpecifier(parent)) return checker.getExportSpecifierLocalTargetSymbol(parent)
  return checker.getSymbolAtLocation(node)
}
