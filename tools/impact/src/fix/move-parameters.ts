import ts from 'typescript'
import type { Touch } from '../find/find-impact.js'
import { toServerGroup } from '../code/generated-code.js'
import type { Use } from '../find/targets.js'
import { createEditor, type Edit } from './edit.js'
import {
  findMember,
  readMemberName,
  findRemovals,
  readSpaceBefore,
  findInsertion,
} from './members.js'

/** A use of a parameter that moved to another place of the request. */
export type MoveUse = { readonly use: Use; readonly touch: Touch }

export type Moves = {
  readonly edits: readonly Edit[]
  readonly left: readonly Touch[]
  /** The names of the members that an object gets. */
  readonly into: ReadonlyMap<ts.Node, ReadonlySet<string>>
}

/** `{ params: { query: { limit } } }` of a call by path, with the place of a parameter in it. */
type Place = {
  readonly member: ts.ObjectLiteralElementLike
  readonly group: ts.ObjectLiteralExpression
  readonly params: ts.ObjectLiteralExpression
  readonly init: ts.ObjectLiteralExpression
}
type Move = MoveUse & Place & { readonly from: string; readonly to: string }

/**
 * Moves parameters in calls by path, and in handlers that read them from the whole request. In the
 * flat input they have no place. Arguments that are not literals are left unchanged.
 */
export function planMoves(uses: readonly MoveUse[]): Moves {
  const edits: Edit[] = []
  const left: Touch[] = []
  const done = new Set<string>()
  const into = new Map<ts.Node, Set<string>>()
  const byInit = new Map<ts.Node, Move[]>()
  for (const one of uses) {
    const { from, to } = one.use.target.change
    const place = findPlace(one.use.node, String(from))
    const read = readFrom(one, String(from), String(to))
    if (read !== undefined) done.add(toTouchKey(one.touch))
    if (read !== undefined) edits.push(read)
    else if (place === undefined) left.push(one.touch)
    else
      byInit.set(place.init, [
        ...(byInit.get(place.init) ?? []),
        { ...one, ...place, from: String(from), to: String(to) },
      ])
  }
  for (const moves of byInit.values()) {
    const made = moveTogether(moves, into)
    edits.push(...(made ?? []))
    if (made === undefined) left.push(...moves.map(({ touch }) => touch))
  }
  return { edits, left: left.filter((touch) => !done.has(toTouchKey(touch))), into }
}

function toTouchKey({ file, line, change }: Touch): string {
  return `${file}:${line} ${change.id}`
}

/** `request.query.limit` → `request.headers.limit`. Handlers read headers in lower case. */
function readFrom({ use: { node, target } }: MoveUse, from: string, to: string): Edit | undefined {
  const { parent } = node
  if (!ts.isPropertyAccessExpression(parent) || parent.name !== node) return undefined
  const group = parent.expression
  const name = node.getText()
  if (!ts.isPropertyAccessExpression(group) || group.name.text !== toServerGroup(from))
    return undefined
  if (to === 'header' && name !== name.toLowerCase()) return undefined
  return createEditor(target.change)(group.name, toServerGroup(to), describeReason(name, to))
}

function describeReason(name: string, to: string): string {
  return `${name} is in the ${to} now`
}

function findPlace(node: ts.Node, from: string): Place | undefined {
  const member = ts.isComputedPropertyName(node.parent) ? node.parent.parent : node.parent
  if (!ts.isPropertyAssignment(member) && !ts.isShorthandPropertyAssignment(member))
    return undefined
  const group = member.parent
  const params = findParentObject(group, from)
  const init = params && findParentObject(params, 'params')
  return params && init && ts.isCallExpression(init.parent)
    ? { member, group, params, init }
    : undefined
}

/** The object that has this one as a property of a name. */
function findParentObject(
  literal: ts.ObjectLiteralExpression,
  name: string,
): ts.ObjectLiteralExpression | undefined {
  const { parent } = literal
  return ts.isPropertyAssignment(parent) && readMemberName(parent) === name
    ? parent.parent
    : undefined
}

/** All moves in one call. Undefined if they go to several places or are not written out. */
function moveTogether(
  moves: readonly Move[],
  into: Map<ts.Node, Set<string>>,
): readonly Edit[] | undefined {
  const [first] = moves
  if (
    first === undefined ||
    moves.some(({ group, to }) => group !== first.group || to !== first.to)
  )
    return undefined
  const { group, params, init, to, use } = first
  const owner = to === 'body' ? init : params
  const existing = findMember(owner, to)
  if (
    existing === undefined
      ? owner.properties.some(ts.isSpreadAssignment)
      : existing.literal === undefined
  )
    return undefined

  const members = new Set(moves.map(({ member }) => member))
  const text = [...members].map((member) => member.getText()).join(', ')
  const reason = moves.map(({ member }) => describeReason(readMemberName(member), to)).join(', ')
  const edit = (span: Span) => createEditor(use.target.change)(group, span.text ?? '', reason, span)
  const emptied = findEmptied(members, first)
  const gone =
    emptied === undefined
      ? findRemovals(group, members)
      : findRemovals(emptied.parent, new Set([emptied]))
  if (existing?.literal !== undefined) {
    into.set(existing.literal, new Set([...members].map(readMemberName)))
    return [...gone, findInsertion(existing.literal, text)].map(edit)
  }
  // a whole object keeps its form under the name of its new place
  if (emptied?.parent === owner)
    return [
      { start: emptied.getStart(), end: group.getStart(), text: `${to}: ` },
      { start: group.getEnd(), end: emptied.getEnd() },
    ].map(edit)
  const before = to === 'body' ? params.parent : group.parent
  return [
    ...gone,
    {
      start: before.getEnd(),
      end: before.getEnd(),
      text: `,${readSpaceBefore(before)}${to}: { ${text} }`,
    },
  ].map(edit)
}

type Span = { readonly start: number; readonly end: number; readonly text?: string }

/** The property whose object has nothing left: the group, or all parameters. */
function findEmptied(
  members: ReadonlySet<ts.Node>,
  { group, params, to }: Move,
): NestedProperty | undefined {
  if (!group.properties.every((member) => members.has(member))) return undefined
  return (
    to === 'body' && params.properties.length === 1 ? params.parent : group.parent
  ) as NestedProperty
}

type NestedProperty = ts.PropertyAssignment & { readonly parent: ts.ObjectLiteralExpression }
