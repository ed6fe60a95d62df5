import type { OperationFacts } from './call.js'
import { readString } from './decode.js'
import { readBoolean, readNumber } from './response-headers.js'

/** Reads a string that is one value. One that is not as declared stays a string. */
function createScalarReader(read: (text: string) => unknown) {
  return async (
    operation: OperationFacts,
    response: Response,
    maxBytes: number,
    signal?: AbortSignal,
  ): Promise<unknown> => {
    const text = await readString(operation, response, maxBytes, signal)
    return read(text.trim()) ?? text
  }
}

export const readNumberText = /* @__PURE__ */ createScalarReader(readNumber)

export const readBooleanText = /* @__PURE__ */ createScalarReader(readBoolean)
