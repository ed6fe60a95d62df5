export * from './generated/functions.js'
export type { Context } from './generated/index.js'
