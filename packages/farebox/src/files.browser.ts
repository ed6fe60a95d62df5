import { InvalidInputError } from '@farebox/client/operations/shared'

// Replaces `files.node.ts` on platforms without a file system. Imports nothing of this package, for
// the reason that `files.node.ts` gives.

export async function readMedia(): Promise<never> {
  throw new InvalidInputError(
    'a file is named by its path, but there is no file system here. Pass a URL or a data URL.',
  )
}

export async function save(): Promise<never> {
  throw new Error('there is no file system here. Read the body with blob() instead.')
}
