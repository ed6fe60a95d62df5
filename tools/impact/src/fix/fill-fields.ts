import type { Change, PossibleRename } from '@farebox/spec-diff'
import ts from 'typescript'
import { findExpectedType, listParts } from '../code/types.js'
import type { Use } from '../find/targets.js'
import { createEditor, type Edit } from './edit.js'
import { beginsLine, isIdentifier, quoteString, readIndent, readNewline } from './members.js'

/** A field that an object literal lacks. */
export type Gap = {
  readonly literal: ts.ObjectLiteralExpression
  readonly name: string
  readonly change: Change
}

/** The changes that make a field required. */
export const required: ReadonlySet<Change['code']> = new Set<Change['code']>([
  'request-required-parameter-added',
  'request-parameter-required',
  'request-required-property-added',
  'request-property-required',
  'response-property-added',
  'response-property-added-closed',
  'response-property-required',
])

/**
 * The gap at a use. Undefined: there is no object literal here, or it may have one of several
 * types.
 */
export function findGap({ node, target }: Use, checker: ts.TypeChecker): Gap | undefined {
  const { lacking, parameters, change } = target
  if (!required.has(change.code) || lacking === undefined || !ts.isObjectLiteralExpression(node))
    return undefined
  // an assertion says that the object lacks fields on purpose
  if (ts.isAsExpression(node.parent)) return undefined
  // the object may have the parameter by either of its names
  if (parameters.some(({ name }) => name !== lacking.name)) return undefined
  const expected = findExpectedType(node, checker)
  if (expected === undefined || listParts(expected, checker).length !== 1) return undefined
  return { literal: node, name: lacking.name, change }
}

/** Fills gaps with placeholders. Each is a compiler error, for every type of field. */
export function fillFields(gaps: readonly Gap[]): readonly Edit[] {
  const literals = new Set(gaps.map(({ literal }) => literal))
  return [...literals].flatMap((literal) => {
    const own = new Map(gaps.filter((gap) => gap.literal === literal).map((gap) => [gap.name, gap]))
    return fill(literal, [...own.values()])
  })
}

function fill(literal: ts.ObjectLiteralExpression, gaps: readonly Gap[]): readonly Edit[] {
  const last = literal.properties.at(-1)
  const make = ({ change, name }: Gap, text: string, at: number) =>
    createEditor(change)(literal, text, `required now: ${name}`, { start: at, end: at })
  if (last === undefined) {
    const inside = { start: literal.getStart() + 1, end: literal.getEnd() - 1 }
    const text = gaps.map(printField).join(', ')
    const names = gaps.map(({ name }) => name).join(', ')
    return gaps
      .slice(0, 1)
      .map(({ change }) =>
        createEditor(change)(literal, ` ${text} `, `required now: ${names}`, inside),
      )
  }
  const { hasTrailingComma } = literal.properties
  const end = hasTrailingComma ? literal.properties.end : last.getEnd()
  const after = ts.getTrailingCommentRanges(literal.getSourceFile().text, end)?.at(-1)?.end ?? end
  const space = beginsLine(last) ? readNewline(last) + readIndent(last) : ' '
  const [first] = gaps
  // there may be a comment between the last field and the new one
  const isApart = !hasTrailingComma && after > end
  const comma = isApart && first !== undefined ? [make(first, ',', end)] : []
  const fields = gaps.map((gap, index) => {
    const before = (index > 0 || !isApart) && !hasTrailingComma ? ',' : ''
    return make(gap, `${before}${space}${printField(gap)}${hasTrailingComma ? ',' : ''}`, after)
  })
  return [...comma, ...fields]
}

function printField({ name }: Gap): string {
  const key = isIdentifier(name) ? name : quoteString(name, "'")
  return `${key}: undefined satisfies never /* farebox-impact: fill in ${name.replaceAll('*/', '* /')} */`
}

/**
 * Whether the addition of a change may be a rename. Then nothing is added until a person decides: a
 * placeholder would prevent the rename.
 */
export function createAwaits(open: readonly PossibleRename[]): (change: Change) => boolean {
  return ({ code, place }) => {
    const kinds = open
      .filter(({ place: { file, pointer } }) => file === place.file && pointer === place.pointer)
      .map(({ kind }) => kind)
    return code === 'response-enum-widened'
      ? kinds.includes('value')
      : required.has(code) && kinds.some((kind) => kind !== 'value')
  }
}
