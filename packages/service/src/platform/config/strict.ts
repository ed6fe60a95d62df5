import * as z from 'zod'
import { unknownField } from './describe-issue.js'

/** An object that refuses other fields. `otherwise` is the fault of a value that is no object. */
export function strict<Shape extends z.ZodRawShape>(shape: Shape, otherwise?: string) {
  return z.strictObject(shape, {
    error: (issue) =>
      unknownField(issue, Object.keys(shape)) ??
      (issue.code === 'invalid_type' ? otherwise : undefined),
  })
}
