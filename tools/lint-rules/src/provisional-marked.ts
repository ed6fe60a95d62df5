import { wholeOperations } from './whole-operations.js'
import type { Rule } from './rule.js'

/** The mark shows whether the interface specification covers an operation. */
export const provisionalMarked: Rule = () => ({
  Operation(operation, { location, report }) {
    const id = operation['operationId']
    if (typeof id !== 'string') return
    const mark = operation['x-provisional']
    const whole = wholeOperations.includes(id)
    if (whole && mark !== undefined) {
      const message = `${id} is described whole by the interface specification: take x-provisional away, or mark the part that is not.`
      report({ message, location: location.child('x-provisional').key() })
    }
    if (!whole && !saysWhy(mark)) {
      const message = `${id} is not described whole by the interface specification: say in x-provisional where it comes from.`
      report({ message, location: location.child('operationId') })
    }
  },
})

function saysWhy(mark: unknown): boolean {
  return mark === true || (typeof mark === 'string' && mark.trim() !== '')
}
