import { messages, protocol, type PGlite } from '@electric-sql/pglite'
import { joinBytes } from '../bounded-body.js'
import { readErrorCode } from '../error-code.js'
import { stalePlan } from './stale-plan.js'

/** A statement that the engine has parsed: the types of its parameters, and its columns. */
type Planned = {
  readonly name: string
  readonly parameters: readonly number[]
  readonly columns: readonly Column[]
}
type Column = { readonly name: string; readonly type: number }

const { parse, describe, bind, execute, sync } = protocol.serialize

/** A bound, since the statements of reports contain their days, and plans stay until the end. */
const most = 1_000

/**
 * Runs single statements, one at a time. The engine parses and plans each text once: that takes
 * five times as long as a usual statement runs, and the `query` of PGlite does it at every call.
 */
export function createPlannedStatements(db: PGlite) {
  const known = new Map<string, Planned>()
  let serial = 0

  const send = (...parts: readonly Uint8Array[]) =>
    db.execProtocolStream(joinBytes([...parts, sync()]), { syncToFs: true })

  const plan = async (sql: string): Promise<Planned> => {
    const name = `s${++serial}`
    const answers = await send(parse({ name, text: sql }), describe({ type: 'S', name }))
    const parameters =
      answers.find((answer) => answer instanceof messages.ParameterDescriptionMessage)
        ?.dataTypeIDs ?? []
    const fields =
      answers.find((answer) => answer instanceof messages.RowDescriptionMessage)?.fields ?? []
    const planned = {
      name,
      parameters,
      columns: fields.map((field) => ({ name: field.name, type: field.dataTypeID })),
    }
    known.set(sql, planned)
    return planned
  }

  const encodeValue = (value: unknown, type: number | undefined): string | null => {
    if (value === null || value === undefined) return null
    const serializer = type === undefined ? undefined : db.serializers[type]
    return serializer
      ? serializer(value)
      : (value as { readonly toString: () => string }).toString()
  }

  const decodeValue = (text: string | null, type: number): unknown => {
    if (text === null) return null
    const parser = db.parsers[type]
    return parser ? parser(text, type) : text
  }

  return async <R>(sql: string, params: readonly unknown[]): Promise<readonly R[]> => {
    const ask = async () => (await db.query<R>(sql, [...params])).rows
    if (known.size >= most && !known.has(sql)) return ask()
    const { name, parameters, columns } = known.get(sql) ?? (await plan(sql))
    const values = params.map((value, index) => encodeValue(value, parameters[index]))
    try {
      const answers = await send(bind({ statement: name, values }), execute())
      return answers
        .filter((answer) => answer instanceof messages.DataRowMessage)
        .map(
          ({ fields }) =>
            Object.fromEntries(
              columns.map((column, index) => [
                column.name,
                decodeValue(fields[index] ?? null, column.type),
              ]),
            ) as R,
        )
    } catch (error) {
      if (readErrorCode(error) !== stalePlan) throw error
      known.delete(sql)
      return ask()
    }
  }
}
