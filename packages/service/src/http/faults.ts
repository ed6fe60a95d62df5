import type { ErrorDetails } from '@farebox/types'
import type * as z from 'zod'
import { invalidInput } from './http-error.js'

/** Gathers what validators found into one DetailedError, nested as the fields are. */
export type Faults = {
  readonly judge: (schema: z.ZodType, value: unknown, at: readonly string[]) => void
  /** Throws when anything was found. */
  readonly raise: () => void
}

/** More is no help, and a body can have a million faults. */
const mostFaults = 50

export function collectFaults(): Faults {
  const details: ErrorDetails = {}
  const sentences: string[] = []
  return {
    judge: (schema, value, at) => {
      for (const { path, message } of schema.safeParse(value).error?.issues ?? []) {
        if (sentences.length >= mostFaults) return
        const place = [...at, ...path.map(String)]
        sentences.push(place.length === 0 ? message : `${place.join('.')}: ${message}`)
        note(details, place, message)
      }
    },
    raise: () => {
      if (sentences.length > 0) throw invalidInput(`The request is not valid. ${sentences.slice(0, 3).join('; ')}`, details)
    },
  }
}

function note(details: ErrorDetails, path: readonly string[], message: string): void {
  let node = details as Record<string, unknown>
  for (const name of path) {
    // a field may be called __proto__, or _errors
    if (!Object.hasOwn(node, name) || Array.isArray(node[name])) {
      Object.defineProperty(node, name, { value: {}, enumerable: true, configurable: true, writable: true })
    }
    node = node[name] as Record<string, unknown>
  }
  const earlier = Object.hasOwn(node, '_errors') && Array.isArray(node['_errors']) ? (node['_errors'] as string[]) : []
  node['_errors'] = [...earlier, message]
}
