/**
 * The zod that makes the validators beside this file: zod/mini, whose methods are functions, so
 * that a bundler drops unused ones. Only this file differs between the flavours. Load zod's
 * messages on demand with `z.config(z.locales.en())`.
 */
export * from 'zod/mini'
export type {
  ZodMiniExactOptional as ZodExactOptional,
  ZodMiniObject as ZodObject,
  ZodMiniType as ZodType,
} from 'zod/mini'
