import { readMedia } from '#file-system'
import { formIds, InvalidInputError } from '@farebox/client/operations/shared'
import * as withoutForms from '@farebox/client/operations/without-forms'
import { isRecord, untilAborted } from '@farebox/middleware'
import type * as operations from '@farebox/client/operations'
import type { OperationId } from '@farebox/types/operations'
import { reportBrokenBody } from './broken-body.js'
import type { FareboxCallOptions } from './call-options.js'
import { loaded } from './loaded.js'
import { namesFile } from './local-media.js'
import { mediaOf } from './media-of.js'
import type { Data, Methods } from './methods.js'
import type { Settings } from './options.js'
import { runCall, type SendOf } from './run-call.js'
import { fromAnswer } from './to-farebox-error.js'
import { callOf, type Answered } from './with-response.js'

/** Calls an operation of the client. Throws every failure as a `FareboxError`. */
export type Perform = <Id extends OperationId>(id: Id, input?: object, options?: FareboxCallOptions) => Promise<Answered<Data<Id>>>

/** One method for each operation. */
export function operationMethods(perform: Perform): Methods {
  const ids = [...Object.keys(withoutForms), ...formIds] as OperationId[]
  const methods = ids.map((id) => [id, (input?: object, options?: FareboxCallOptions) => callOf(perform(id, input, options))] as const)
  return Object.fromEntries(methods) as unknown as Methods
}

export function performing({ baseUrl, maxResponseBytes, validation }: Settings, sendOf: SendOf): Perform {
  const atOnce: Partial<typeof operations> = { ...withoutForms }
  const perform = (id: OperationId, given: object = {}, options: FareboxCallOptions = {}): Promise<Answered<unknown>> =>
    runCall(id, options, sendOf, async (send, statistics) => {
      if (!isRecord(given)) throw new InvalidInputError(`${id}: the input is not an object of fields. Nothing was sent.`)
      const input = namesFile(given) ? await readMedia(given) : given
      await validation?.validateInput(id, input)
      const context = { baseUrl, send, ...(maxResponseBytes !== undefined && { maxResponseBytes }) }
      const call = atOnce[id] ?? (await formPart(options.signal))[id as (typeof formIds)[number]]
      const result = await call(context, input as never, options)
      const { response } = result
      await validation?.validateAnswer(id, response, 'error' in result ? result.error : result.data)
      if ('error' in result) throw fromAnswer(id, response, result.error, statistics())
      const { data } = result
      const body = data instanceof Response ? mediaOf(reportBrokenBody(id, data, options.signal, statistics)) : data
      return { data: subjectOf(body), body, response }
    })
  return perform as Perform
}

/** The code of operations that send forms. Rejects as `loaded` does, and at an abort. */
export function formPart(signal?: AbortSignal) {
  return untilAborted(
    loaded('forms', () => import('./form-part.js')),
    signal,
  )
}

/** The subject of a response: what its envelope holds in `data`, or else the whole. */
function subjectOf(body: unknown): unknown {
  return isRecord(body) && 'data' in body ? body['data'] : body
}
