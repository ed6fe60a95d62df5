import { describe, expect, it } from 'vitest'
import { readDatabaseUrl } from './database-url.js'

describe('readDatabaseUrl', () => {
  it('gives each host the user, the name and the parameters', () => {
    const url = 'postgres://fare:a%2Cb@one:5433,[::1],10.0.0.3/box?sslmode=require'
    expect(readDatabaseUrl(url)).toEqual({
      hosts: [
        'postgres://fare:a%2Cb@one:5433/box?sslmode=require',
        'postgres://fare:a%2Cb@[::1]/box?sslmode=require',
        'postgres://fare:a%2Cb@10.0.0.3/box?sslmode=require',
      ],
      target: 'read-write',
    })
  })

  it('accepts any server for one host, and honors a requested server type', () => {
    expect(readDatabaseUrl('postgresql://box')?.target).toBe('any')
    expect(readDatabaseUrl('postgres:///box?host=/run/postgresql')?.target).toBe('any')
    const both = 'postgres://one,two/box?target_session_attrs='
    expect(readDatabaseUrl(`${both}standby`)?.target).toBe('standby')
    expect(readDatabaseUrl(`${both}any`)?.target).toBe('any')
    expect(readDatabaseUrl(`${both}prefer-standby`)).toBeUndefined()
  })

  it.each(['mysql://box', 'box', '', 'postgres://one:x/box', 'postgres://one,two:70000/box'])(
    'returns undefined for %j',
    (url) => expect(readDatabaseUrl(url)).toBeUndefined(),
  )
})
