export * from './generated/form-functions.js'
export * from './generated/functions.js'
export type { Context } from './generated/index.js'
