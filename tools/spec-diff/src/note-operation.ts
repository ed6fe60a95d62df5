import type { Notes, Operation } from '@farebox/codegen'
import type { Code } from './catalogue.js'
import type { About, Direction } from './change.js'
import type { ChangeList } from './change-list.js'
import type { Sides } from './side.js'

/** Both documents, and the list of changes. */
export type Pair = Sides & { readonly changes: ChangeList }

/** `gone`: the change stands in the older document. `at`: its place, if not the operation. */
type Values = Pick<About, 'from' | 'to' | 'possibleRenames'> & {
  readonly gone?: boolean
  readonly at?: Notes['origin']
}

/** Reports a change of one operation. Its code tells the direction. */
export type Note = (code: Code, sentence: string, values?: Values) => void

export function noteFor(base: Operation, head: Operation, { changes }: Pair): Note {
  const id = head.id
  return (
    code,
    sentence,
    { gone = false, at = gone ? base.origin : head.origin, ...values } = {},
  ) =>
    changes.note(
      code,
      `${id}: ${sentence}`,
      { side: gone ? 'base' : 'head', origin: at },
      {
        direction: findDirection(code),
        subject: { kind: 'operation', name: id },
        operation: id,
        ...values,
      },
    )
}

function findDirection(code: Code): Direction {
  if (code.startsWith('request-') || code.startsWith('security-')) return 'request'
  return code.startsWith('response-') ? 'response' : 'none'
}

export function text(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}
