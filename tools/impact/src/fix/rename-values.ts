import type { Change } from '@farebox/spec-diff'
import { ts } from 'ts-morph'
import type { Use } from '../use.js'
import { createEditor, type Edit } from './edit.js'
import { quoted } from './text.js'

/** The newer values of an enum by the older ones. */
export type RenamedValues = ReadonlyMap<unknown, unknown>

/**
 * What the values that are gone are called now. `stated` has the older value by the newer. A value
 * that two claim to have been is left out.
 */
export function valuesNow(
  stated: Readonly<Record<string, unknown>>,
  { from, to }: Change,
): RenamedValues {
  const [before, after] = [listed(from), listed(to)]
  const pairs = after
    .filter((value) => !before.includes(value) && Object.hasOwn(stated, String(value)))
    .map((value) => [stated[String(value)], value] as const)
    .filter(([former]) => before.includes(former) && !after.includes(former))
  return new Map(
    pairs.filter(([former]) => pairs.filter(([other]) => other === former).length === 1),
  )
}

function listed(values: unknown): readonly unknown[] {
  return Array.isArray(values) ? values : []
}

/** Writes the newer value. Undefined: the value stands somewhere else, as in a variable. */
export function renameValue(
  { node, target }: Use,
  values: RenamedValues,
): readonly Edit[] | undefined {
  if (!ts.isStringLiteralLike(node) && !ts.isNumericLiteral(node)) return undefined
  const value = values.get(ts.isNumericLiteral(node) ? Number(node.text) : node.text)
  if (value === undefined) return undefined
  const now = typeof value === 'string' ? value : JSON.stringify(value)
  const text = ts.isNumericLiteral(node) ? now : quoted(now, node.getText().charAt(0))
  return [createEditor(target.change)(node, text, `the value ${node.text} is called ${now} now`)]
}
