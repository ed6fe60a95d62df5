import type { Operation } from '@farebox/codegen'
import { compareContents } from './compare-contents.js'
import { mediaKey } from './media-key.js'
import type { Note, Pair } from './note-operation.js'

export function compareBody(base: Operation, head: Operation, pair: Pair, note: Note): void {
  const [before, after] = [base.body, head.body]
  if (!before && !after) return
  if (!before || !after) {
    if (after)
      note(
        after.required ? 'request-required-body-added' : 'request-body-added',
        `it takes a body now${after.required ? ', which is required' : ''}`,
      )
    else note('request-body-removed', 'it takes no body any more', { gone: true })
    return
  }
  if (before.required !== after.required)
    note(
      after.required ? 'request-body-required' : 'request-body-optional',
      `the body is ${after.required ? 'required' : 'optional'} now`,
    )
  const [flatBefore, flatAfter] = [before.contents[0]?.flatten, after.contents[0]?.flatten]
  if (flatBefore !== flatAfter)
    note(
      'request-body-flattening-changed',
      `the input takes the body ${flatAfter === 'body' ? 'whole' : 'field by field'} now`,
    )
  if (before.description !== after.description)
    note('operation-description-changed', 'its body has another description')
  const [first, now] = [before.contents[0]?.mediaType, after.contents[0]?.mediaType]
  const key = (mediaType = '') => mediaKey(mediaType)
  const kept = after.contents.some(({ mediaType }) => key(mediaType) === key(first))
  if (key(first) !== key(now) && kept)
    note(
      'request-media-type-preferred',
      `the body was sent as ${first ?? 'nothing'} and is sent as ${now ?? 'nothing'} now`,
    )
  compareContents(
    before.contents,
    after.contents,
    'request',
    `${head.id}: the body`,
    pair,
    head.id,
    note,
  )
}
