import { whyOf } from './catalogue.js'
import type { Change } from './change.js'
import { verdictOf, type Carrier } from './owners.js'
import { packageKeys, strictest, type Verdict } from './verdict.js'

const order: readonly Verdict[] = ['major', 'minor', 'patch', 'none']

/** Every change with its place and bumps, the gravest first, then each package's bump. */
export function report(changes: readonly Change[], carriers: readonly Carrier[]): string {
  if (changes.length === 0) return 'Nothing changed.'
  const groups = order.flatMap((verdict) => {
    const of = changes.filter((change) => strictest(change.verdicts) === verdict)
    return of.length === 0 ? [] : [`${titles[verdict]}\n\n${of.map(entry).join('\n\n')}`]
  })
  const verdicts = changes.map((change) => change.verdicts)
  const width = Math.max(...carriers.map(({ name }) => name.length)) + 2
  const summary = carriers.map((carrier) => `  ${carrier.name.padEnd(width)}${verdictOf(carrier, verdicts)}`).join('\n')
  return `${groups.join('\n\n')}\n\n${changes.length} ${changes.length === 1 ? 'change asks' : 'changes ask'} for\n${summary}`
}

const titles: Readonly<Record<Verdict, string>> = {
  major: 'Breaking for somebody',
  minor: 'New or wider',
  patch: 'Said in other words, or a fact that no type shows',
  none: 'Carried by no package',
}

function entry(change: Change): string {
  const { code, sentence, verdicts, operations } = change
  const asks = packageKeys.filter((key) => verdicts[key] !== 'none').map((key) => `${key} ${verdicts[key]}`)
  const also = operations.length > 1 ? `\n    in ${operations.join(', ')}` : ''
  return `  ${sentence}.${also}\n    ${placeOf(change)}\n    ${code}: ${asks.join(', ') || 'nothing'}. ${whyOf(code)}`
}

function placeOf({ place }: Change): string {
  return `${place.side === 'base' ? 'before, ' : ''}${place.file}:${place.line}:${place.column}`
}
