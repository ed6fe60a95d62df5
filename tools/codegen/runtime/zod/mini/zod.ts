/**
 * The zod that the validators beside this file are made with: the one whose methods are functions, so that a bundler keeps what is
 * used. It alone differs between the flavours. Words for zod's own faults are loaded on demand: `z.config(z.locales.en())`.
 */
export * from 'zod/mini'
export type { ZodMiniObject as ZodObject, ZodMiniType as ZodType } from 'zod/mini'
