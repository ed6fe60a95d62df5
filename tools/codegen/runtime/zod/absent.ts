import type * as core from 'zod/v4/core'

type Parse = (
  payload: core.ParsePayload,
  context: core.ParseContextInternal,
) => core.util.MaybeAsync<core.ParsePayload>

/**
 * The same optional schema, which validates a missing property once. Zod validates it in every
 * object as `undefined` and drops the faults, which costs as much as faults that are reported: the
 * message for a union names each of its values.
 */
/* @__NO_SIDE_EFFECTS__ */
export function rememberAbsence<Schema extends core.$ZodType>(optional: Schema): Schema {
  const { _zod: internals }: { readonly _zod: { parse: Parse; run: Parse } } = optional
  const { parse } = internals
  /** None if undefined is valid, or if that is known only later. */
  let faults: readonly core.$ZodRawIssue[] | undefined
  internals.run = internals.parse = (payload, context) => {
    if (payload.value === undefined) {
      faults ??= (parse({ value: undefined, issues: [] }, context) as Partial<typeof payload>)
        .issues
      if (faults?.length) {
        // copies, as zod changes them; undefined has no parts with names, so a path is empty
        for (const { path: _, ...fault } of faults) payload.issues.push(fault)
        return payload
      }
    }
    return parse(payload, context)
  }
  return optional
}
