import ts from 'typescript'
import { isOwn } from '../find/find-impact.js'
import { isGenerated } from '../code/generated-code.js'
import { findLiteral, findNamedDeclarations } from '../code/naming.js'
import { isNaming, meet, type Use } from '../find/targets.js'
import { createEditor, type Edit, type Editor } from './edit.js'
import type { Renames } from './renames.js'
import { isIdentifier, quoteString } from './members.js'

type Name = ts.Identifier | ts.StringLiteralLike

/**
 * Renames what a use names. Undefined: the name belongs to the consumer's own code, even in a value
 * whose type is a union with the contract, or may refer to something else. The consumer's own exports
 * keep their names.
 */
export function rename(
  { node, target }: Use,
  renames: Renames,
  program: ts.Program,
): readonly Edit[] | undefined {
  const to = isNaming(node) ? renames.get(node.text) : undefined
  if (!isNaming(node) || to === undefined) return undefined
  const checker = program.getTypeChecker()
  const edit = createEditor(target.change)
  // the path of a call is the contract's own name
  if (target.rule.reach === 'path-calls') return renameMember(node, to, edit)
  const { parent } = node
  if (ts.isImportSpecifier(parent))
    return isForeign(node, program) ? renameImport(parent, node, to, edit, checker) : []
  if (ts.isExportSpecifier(parent))
    return isForeign(node, program) ? renameExport(parent, node, to, edit) : []
  if (isLocalName(node, checker)) return []
  const literal = findLiteral(node)
  if (
    literal?.properties.some(
      (one) =>
        one.name !== undefined && !ts.isComputedPropertyName(one.name) && one.name.text === to,
    ) === true
  )
    return undefined
  const named = [...findNamedDeclarations(node, checker)]
  const isMember = literal !== undefined && ts.isCallExpression(literal.parent)
  if (!isMember && !meet(named, target.properties) && !meet(named, target.named)) return undefined
  if (named.some((one) => isOwn(one.getSourceFile(), program) && !isGenerated(one.getSourceFile())))
    return undefined
  return renameMember(node, to, edit)
}

function describeReason(from: string, to: string): string {
  return `${from} is called ${to} now`
}

/** A name that comes from generated code or a package, and not from a file of the consumer. */
function isForeign(node: ts.Node, program: ts.Program): boolean {
  const statement = ts.findAncestor(
    node,
    (one) => ts.isImportDeclaration(one) || ts.isExportDeclaration(one),
  )
  const from =
    statement && (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))
      ? statement.moduleSpecifier
      : undefined
  const file = from && program.getTypeChecker().getSymbolAtLocation(from)?.valueDeclaration
  return file !== undefined && ts.isSourceFile(file) && (!isOwn(file, program) || isGenerated(file))
}

function renameImport(
  parent: ts.ImportSpecifier,
  node: Name,
  to: string,
  edit: Editor,
  checker: ts.TypeChecker,
): readonly Edit[] {
  const reason = describeReason(node.text, to)
  if (parent.propertyName !== undefined)
    return parent.propertyName === node ? [renameSpecifier(parent, node, to, edit)] : []
  if (hasIdentifier(node.getSourceFile(), to)) return [edit(node, `${to} as ${node.text}`, reason)]
  return [
    edit(node, to, reason),
    ...findLocalUses(parent, checker).map((use) => edit(use, printLocalUse(use, to), reason)),
  ]
}

function printLocalUse(use: ts.Identifier, to: string): string {
  const { parent } = use
  if (ts.isShorthandPropertyAssignment(parent)) return `${use.text}: ${to}`
  return ts.isExportSpecifier(parent) && parent.propertyName === undefined
    ? `${to} as ${use.text}`
    : to
}

function renameExport(
  parent: ts.ExportSpecifier,
  node: Name,
  to: string,
  edit: Editor,
): readonly Edit[] {
  const reason = describeReason(node.text, to)
  if (parent.propertyName === undefined) return [edit(node, `${to} as ${node.text}`, reason)]
  return parent.propertyName === node ? [renameSpecifier(parent, node, to, edit)] : []
}

/** `Old` in `Old as Own`. If the local name equals the new one, it is written once. */
function renameSpecifier(
  { name }: ts.ImportOrExportSpecifier,
  node: Name,
  to: string,
  edit: Editor,
): Edit {
  const reason = describeReason(node.text, to)
  return name.text === to
    ? edit(node, to, reason, { start: node.getStart(), end: name.getEnd() })
    : edit(node, to, reason)
}

/** The name of an import, which changes with the import or not at all. */
function isLocalName(node: Name, checker: ts.TypeChecker): boolean {
  const { parent } = node
  const isMember =
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isQualifiedName(parent) && parent.right === node)
  if (!ts.isIdentifier(node) || isMember || findLiteral(node) !== undefined) return false
  return ((checker.getSymbolAtLocation(node)?.flags ?? 0) & ts.SymbolFlags.Alias) !== 0
}

function hasIdentifier(root: ts.Node, name: string): boolean {
  const holds = (node: ts.Node): boolean =>
    (ts.isIdentifier(node) && node.text === name) || (ts.forEachChild(node, holds) ?? false)
  return holds(root)
}

/** A name after a dot, a key, or a string that names a member. */
function renameMember(node: Name, to: string, edit: Editor): readonly Edit[] {
  const { parent } = node
  const reason = describeReason(node.text, to)
  if (ts.isStringLiteralLike(node))
    return [
      edit(node, to.replaceAll(/['"`\\]/g, String.raw`\$&`), reason, {
        start: node.getStart() + 1,
        end: node.getEnd() - 1,
      }),
    ]
  const key = isIdentifier(to) ? to : quoteString(to, "'")
  if (
    ts.isShorthandPropertyAssignment(parent) ||
    (ts.isBindingElement(parent) && parent.propertyName === undefined)
  )
    return [edit(node, `${key}: ${node.text}`, reason)]
  if (key === to || !ts.isPropertyAccessExpression(parent)) return [edit(node, key, reason)]
  const start = parent.questionDotToken?.getEnd() ?? parent.expression.getEnd()
  return [edit(node, `[${key}]`, reason, { start, end: node.getEnd() })]
}

/** The uses of an imported name in its file, without the import itself. */
function findLocalUses(
  specifier: ts.ImportSpecifier,
  checker: ts.TypeChecker,
): readonly ts.Identifier[] {
  const { name } = specifier
  const wanted = checker.getSymbolAtLocation(name)
  const identifiers: ts.Identifier[] = []
  const visit = (node: ts.Node): void => {
    if (
      ts.isIdentifier(node) &&
      node !== name &&
      node.text === name.text &&
      findSymbol(node, checker) === wanted
    )
      identifiers.push(node)
    ts.forEachChild(node, visit)
  }
  visit(specifier.getSourceFile())
  return identifiers
}

/** The variable or import that a name refers to, even if it is a member or an export as well. */
function findSymbol(node: ts.Identifier, checker: ts.TypeChecker): ts.Symbol | undefined {
  const { parent } = node
  if (ts.isShorthandPropertyAssignment(parent))
    return checker.getShorthandAssignmentValueSymbol(parent)
  if (ts.isExportSpecifier(parent)) return checker.getExportSpecifierLocalTargetSymbol(parent)
  return checker.getSymbolAtLocation(node)
}
