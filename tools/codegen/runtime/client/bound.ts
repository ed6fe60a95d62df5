import type { CallOptions } from './call.js'
import type { Context } from './perform.js'

type Bindable = (context: Context, input: unknown, options?: CallOptions) => unknown

/**
 * Functions that take a context as methods that have it. The type is that which the caller states: the compiler would compare the
 * functions one by one with methods that were declared from the same operations.
 */
export function bound(functions: object, context: Context): never {
  const methods = Object.entries(functions as Readonly<Record<string, Bindable>>).map(
    ([name, call]) => [name, (input: unknown, options?: CallOptions) => call(context, input, options)] as const,
  )
  return Object.fromEntries(methods) as never
}
