import type { Change, PossibleRename } from '@farebox/spec-diff'
import { required } from './fill-fields.js'

/**
 * Whether what a change adds may be the new name of something else. Then nothing is added for it
 * until a person decides: beside a placeholder, a rename could no longer be made.
 */
export function awaitedBy(open: readonly PossibleRename[]): (change: Change) => boolean {
  return ({ code, place }) => {
    const kinds = open
      .filter(({ place: { file, pointer } }) => file === place.file && pointer === place.pointer)
      .map(({ kind }) => kind)
    return code === 'response-enum-widened'
      ? kinds.includes('value')
      : required.has(code) && kinds.some((kind) => kind !== 'value')
  }
}
