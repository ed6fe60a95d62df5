import { join } from 'node:path'
import { Node, Project, SyntaxKind, type TypeNode, type UnionTypeNode } from 'ts-morph'
import { root } from './folders.js'

const unions = [
  { name: 'RetryError', from: '@farebox/retry', file: 'packages/retry/src/errors.ts' },
  { name: 'RateLimitError', from: '@farebox/retry', file: 'packages/retry/src/errors.ts' },
  { name: 'FailureBudgetError', from: '@farebox/retry', file: 'packages/retry/src/errors.ts' },
  { name: 'AuthError', from: '@farebox/auth', file: 'packages/auth/src/errors.ts' },
  {
    name: 'PaymentError',
    from: '@farebox/auth',
    file: 'packages/auth/src/errors.ts',
  },
  {
    name: 'SiwxError',
    from: '@farebox/auth/verify',
    file: 'packages/auth/src/verify/errors.ts',
  },
  {
    name: 'PaymentVerificationError',
    from: '@farebox/auth/verify',
    file: 'packages/auth/src/verify/errors.ts',
  },
  {
    name: 'ExtractTextError',
    from: '@farebox/office-text',
    file: 'packages/office-text/src/findings.ts',
  },
] as const

/** An error class with its codes. `about` is empty for a code without a comment. */
type ErrorClass = {
  readonly name: string
  readonly from: string
  readonly codes: readonly { readonly code: string; readonly about: string }[]
}

/** Reads the error codes from their unions and doc comments. */
export function readErrorCodes(): readonly ErrorClass[] {
  const project = new Project({
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
  })
  return unions.map(({ name, from, file }) => {
    const aliases = project.addSourceFileAtPath(join(root, file)).getTypeAliases()
    const union = aliases
      .find((alias) => [`${name}Code`, name.replace('Error', 'Code')].includes(alias.getName()))
      ?.getTypeNode()
    if (!Node.isUnionTypeNode(union))
      throw new Error(`${file} does not declare the codes of ${name}.`)
    return {
      name,
      from,
      codes: union.getTypeNodes().map((member) => ({
        code: readCode(member, file),
        about: readCommentAbove(union, member),
      })),
    }
  })
}

function readCode(member: TypeNode, file: string): string {
  const literal = Node.isLiteralTypeNode(member) ? member.getLiteral() : undefined
  if (!Node.isStringLiteral(literal))
    throw new Error(`${file}: found ${member.getText()}, expected a code in quotes.`)
  return literal.getLiteralValue()
}

/** The doc comment before the `|` of a member. The first `|` belongs to the union. */
function readCommentAbove(union: UnionTypeNode, member: TypeNode): string {
  const bar =
    member.getPreviousSiblingIfKind(SyntaxKind.BarToken) ??
    union.getFirstChildByKind(SyntaxKind.BarToken)
  const comment = bar
    ?.getLeadingCommentRanges()
    .findLast((range) => range.getText().startsWith('/**'))
  return (comment?.getText() ?? '')
    .replace(/^\/\*\*|\*\/$/g, '')
    .replaceAll(/\s*\n\s*\*\s?/g, ' ')
    .trim()
}
