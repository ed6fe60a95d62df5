// The closed lists of error codes, from the unions that declare them and the comments above their members.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = join(fileURLToPath(new URL('.', import.meta.url)), '../../..')

const unions = [
  ['RetryError', '@farebox/retry', 'packages/retry/src/retry-error.ts'],
  ['PaceError', '@farebox/retry', 'packages/retry/src/pace-error.ts'],
  ['GuardError', '@farebox/retry', 'packages/retry/src/guard-error.ts'],
  ['AuthError', '@farebox/auth', 'packages/auth/src/auth-error.ts'],
  ['PaymentError', '@farebox/auth', 'packages/auth/src/payment-error.ts'],
  ['SiwxError', '@farebox/auth/verify', 'packages/auth/src/verify/siwx-error.ts'],
  ['PaymentVerificationError', '@farebox/auth/verify', 'packages/auth/src/verify/payment-verification-error.ts'],
]

/** Each class with its codes; `about` is empty where a code says it all. */
export function errorCodes() {
  return unions.map(([name, from, file]) => {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true)
    const union = source.statements.find(
      (node) => ts.isTypeAliasDeclaration(node) && node.name.text.endsWith('Code') && ts.isUnionTypeNode(node.type),
    )
    if (union === undefined) throw new Error(`${file} declares no union of codes.`)
    const codes = union.type.types.map((member) => ({ code: member.literal.text, about: commentAbove(source, member) }))
    return { name, from, codes }
  })
}

/** @param {ts.SourceFile} source @param {ts.Node} member */
function commentAbove({ text }, member) {
  const between = text.slice(0, member.getStart()).match(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*\|\s*$/)
  return (between?.[1] ?? '').replaceAll(/\s*\n\s*\*\s?/g, ' ').trim()
}
