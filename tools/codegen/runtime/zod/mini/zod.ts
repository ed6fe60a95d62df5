/**
 * The zod that makes the validators beside this file: zod/mini, whose methods are functions, so
 * that a bundler drops unused ones. Only this file differs between the flavours. Load zod's
 * messages on demand with `z.config(z.locales.en())`.
 */
import * as mini from 'zod/mini'
import type { SomeType } from 'zod/v4/core'
import { rememberAbsence } from '../absent.js'

export * from 'zod/mini'
export type {
  ZodMiniExactOptional as ZodExactOptional,
  ZodMiniObject as ZodObject,
  ZodMiniType as ZodType,
} from 'zod/mini'

/* @__NO_SIDE_EFFECTS__ */
export function exactOptional<Inner extends SomeType>(
  inner: Inner,
): mini.ZodMiniExactOptional<Inner> {
  return rememberAbsence(mini.exactOptional(inner))
}
