import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

// Engines that speak PostgreSQL lack some of these. Whoever wants to support one starts with this
// list: a construct that is not on it may be used in every file.
const constructs: Readonly<Record<string, RegExp>> = {
  'advisory lock': /pg_advisory/i,
  'block-range index': /using brin/i,
  'aggregate of our own': /create aggregate/i,
  'deferrable constraint': /deferrable/i,
  'statement trigger': /for each statement/i,
  'storage of a column': /set storage/i,
  'unlogged table': /unlogged/i,
  notification: /pg_notify|[`'](?:listen|notify) /i,
  'statistics of sessions': /pg_stat/i,
  'end of a session': /pg_terminate_backend/i,
  'skipped locks': /skip locked/i,
}

const root = fileURLToPath(new URL('../../', import.meta.url))

it('few files depend on PostgreSQL-specific syntax', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  const found = Object.entries(constructs).map(([name, pattern]) => [
    name,
    files.filter((file) => pattern.test(readFileSync(root + file, 'utf8'))).toSorted(),
  ])
  expect(Object.fromEntries(found)).toMatchInlineSnapshot(`
    {
      "advisory lock": [
        "platform/database/migrate.ts",
        "platform/database/migrations.ts",
      ],
      "aggregate of our own": [
        "platform/database/migrations.ts",
      ],
      "block-range index": [
        "platform/database/migrations.ts",
      ],
      "deferrable constraint": [
        "platform/database/migrations.ts",
      ],
      "end of a session": [
        "command/doctor/check-storage.ts",
      ],
      "notification": [],
      "skipped locks": [
        "domain/video/video-job.ts",
      ],
      "statement trigger": [
        "platform/database/migrations.ts",
      ],
      "statistics of sessions": [
        "command/doctor/check-storage.ts",
      ],
      "storage of a column": [
        "platform/database/migrations.ts",
      ],
      "unlogged table": [
        "domain/backup/read-database.ts",
        "platform/database/migrations.ts",
      ],
    }
  `)
})
