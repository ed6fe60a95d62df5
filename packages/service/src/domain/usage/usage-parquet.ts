import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { UsageColumn } from './usage-columns.js'
import type { UsageRow } from './usage-query.js'

/** Rows that are in memory at a time. */
export const rowsInGroup = 10_000

const types = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  count: { type: 'INT64' },
  usd: { type: 'INT64', converted_type: 'DECIMAL', scale: 6, precision: 18 },
} as const

/**
 * Apache Parquet, compressed with Snappy. Amounts are exact decimals in US dollars. Rows become a
 * row group once there are ten thousand, so a report of any length takes the memory of one.
 */
export async function* toParquet(columns: readonly UsageColumn[], rows: AsyncIterable<UsageRow>): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter()
  const schema = [
    { name: 'usage', num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...types[kind] })),
  ]
  const file = new ParquetWriter({ writer: bytes, schema, createdBy: 'farebox-service' })
  const taken = () => {
    const made = bytes.getBytes().slice()
    bytes.index = 0
    return made
  }
  const write = async (group: readonly UsageRow[]) => {
    const columnData = columns.map(({ name, kind, of }) => ({
      name,
      data: group.map((row) => (kind === 'count' ? BigInt(of(row) ?? 0) : of(row))),
    }))
    await file.write({ columnData, rowGroupSize: group.length })
  }
  let group: UsageRow[] = []
  for await (const row of rows) {
    group.push(row)
    if (group.length < rowsInGroup) continue
    await write(group)
    group = []
    yield taken()
  }
  if (group.length > 0) await write(group)
  await file.finish()
  yield taken()
}
