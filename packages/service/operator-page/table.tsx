import type { ComponentChildren } from 'preact'

export type Column<Row> = {
  readonly title: string
  readonly kind?: 'number' | 'code' | 'text'
  readonly cell: (row: Row) => ComponentChildren
}

type TableProps<Row> = {
  readonly id: string
  readonly title: string
  readonly columns: readonly Column<Row>[]
  /** Undefined until they are loaded. */
  readonly rows: readonly Row[] | undefined
  readonly hasMore?: boolean | undefined
  readonly none?: string
}

/** A table in a region that the keyboard can scroll. */
export function Table<Row>({ id, title, columns, rows, hasMore, none = 'None.' }: TableProps<Row>) {
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Table: ${title}`}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.title} scope="col" class={column.kind}>
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody id={id}>
            {rows?.map((row, index) => (
              <tr key={index}>
                {columns.map((column) => (
                  <td key={column.title} class={column.kind}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="dim" role="status">
        {rows === undefined
          ? 'Loading…'
          : rows.length === 0
            ? none
            : hasMore && `These are the newest ${rows.length}; there are more.`}
      </p>
    </>
  )
}

/** A state in the color of good or bad. */
export function State({ good, children }: { good: boolean; children: ComponentChildren }) {
  return <span class={good ? 'good' : 'bad'}>{children}</span>
}

/** Two decimals, or six where it has more. */
export function formatMoney(usd: number): string {
  return usd.toFixed(Math.abs(usd * 100 - Math.round(usd * 100)) > 1e-6 ? 6 : 2)
}

/** A time in UTC without fractions of a second. */
export function formatTime(time: string | undefined): string {
  return time === undefined ? '' : time.replace('T', ' ').replace(/\.\d+Z$/, 'Z')
}
