import { describe, expect, it } from 'vitest'
import {
  camelCase,
  toHeaderField,
  toOperationName,
  deriveOperationName,
  toSchemaName,
  uniqueNames,
} from './names.js'

describe('names', () => {
  it.each([
    ['listTransactions', 'listTransactions'],
    ['GetUser', 'getUser'],
    ['users/list-all', 'usersListAll'],
    ['get_user', 'getUser'],
    ['URLParse', 'urlParse'],
    ['delete', 'deleteOperation'],
    ['then', 'thenOperation'],
    ['file', 'fileOperation'],
    ['rejected', 'rejectedOperation'],
    ['3d', '_3d'],
    ['', 'unnamed'],
    ['a*/b`${c}', 'aB$C'],
  ])('an operation called %j is %s', (id, expected) => {
    expect(toOperationName(id)).toBe(expected)
  })

  it('an operation without an id is named by method and path', () => {
    expect(deriveOperationName('get', '/users/{user_id}/keys.json')).toBe(
      'getUsersByUserIdKeysJson',
    )
    expect(deriveOperationName('get', '/')).toBe('get')
  })

  it.each([
    ['Idempotency-Key', 'idempotencyKey'],
    ['SIGN-IN-WITH-X', 'signInWithX'],
    ['x-request-id', 'xRequestId'],
  ])('a header called %s is the field %s', (name, expected) => {
    expect(toHeaderField(name)).toBe(expected)
  })

  it.each([
    ['StandardError', 'StandardError'],
    ['simple-user', 'SimpleUser'],
    ['class', 'ClassSchema'],
    ['Record', 'RecordSchema'],
    ['stated', 'StatedSchema'],
    ['temporal', 'TemporalSchema'],
    ['bigints', 'BigintsSchema'],
    ['Arbitraries', 'ArbitrariesSchema'],
    ['', 'Unnamed'],
    ['日本', '日本'],
  ])('a schema called %j is %s', (key, expected) => {
    expect(toSchemaName(key)).toBe(expected)
  })

  it('a name that is taken gets the first free numeric suffix', () => {
    const unique = uniqueNames(['a', 'a2'])
    expect([unique('a'), unique('a'), unique('b')]).toEqual(['a3', 'a4', 'b'])
  })

  it('camelCase keeps capitals inside of words', () => {
    expect(camelCase('page[maxSize]')).toBe('pageMaxSize')
  })
})
