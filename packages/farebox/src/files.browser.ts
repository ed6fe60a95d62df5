import { InvalidInputError } from '@farebox/client/operations/shared'

// It imports nothing of this package, which would be there twice: this file is not packed.

/** Replaces `readMedia` on platforms without a file system. */
export async function readMedia(): Promise<never> {
  throw new InvalidInputError('a file is named by its path, but there is no file system here. Give a URL or a data URL.')
}

/** Replaces `save` on platforms without a file system. */
export async function save(): Promise<never> {
  throw new Error('there is no file system here. Read the body with blob() instead.')
}
