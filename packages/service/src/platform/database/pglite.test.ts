import { afterAll, beforeAll, expect, it } from 'vitest'
import { emptyDatabase } from '../../../test/empty-database.js'
import type { Database } from './database.js'

let database: Database
beforeAll(async () => {
  database = await emptyDatabase()
})
afterAll(() => database.close())

it('a lack of resources, as of a full disk, may pass, and other errors stay what they are', async () => {
  // PostgreSQL's class 53, like a full disk
  await database.query(`set work_mem = '64kB'`)
  await database.query(`set temp_file_limit = '64kB'`)
  const sort = { sql: 'select md5(i::text) from generate_series(1, 100000) i order by 1' }
  const lack = { name: 'DatabaseUnavailableError', code: '53400' }
  await expect(database.query(sort.sql)).rejects.toMatchObject(lack)
  await expect(database.transaction([sort])).rejects.toMatchObject(lack)
  await expect(database.query('select 1 / 0')).rejects.toMatchObject({ name: 'error' })
})
