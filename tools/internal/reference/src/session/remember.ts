import type { OperationData, Values } from '../contract/operation-data.js'
import type { Session } from './session.js'

type Remembered = Session['remembered']
type Members = Readonly<Record<string, unknown>>

/** Finds the values in an answer that later calls ask for. */
export function readRemembered(answer: unknown): Remembered {
  const members = (typeof answer === 'object' && answer !== null ? answer : {}) as Members
  const { queue_id: id, model } = members
  return typeof id === 'string' ? { queue_id: id, ...(typeof model === 'string' && { model }) } : {}
}

/** Puts each remembered value into the field of its name. */
export function filled(
  { parameters, body }: OperationData,
  values: Values,
  remembered: Remembered,
): Values {
  const fields = body?.schema.properties ?? {}
  const named = (name: string) => parameters.find((parameter) => parameter.name === name)
  // a model is remembered with its queue id, and means nothing to an operation without one
  const names = Object.keys(remembered).filter(
    (name) => name in fields && (name !== 'model' || 'queue_id' in fields),
  )
  const given = Object.fromEntries(names.map((name) => [name, remembered[name]]))
  const path = Object.fromEntries(
    Object.entries(remembered).filter(([name]) => named(name)?.in === 'path'),
  )
  return {
    ...values,
    path: { ...values.path, ...path },
    ...(names.length > 0 && { body: { ...(values.body as Members), ...given } }),
  }
}
