export type * from './generated/index.js'
export type { components, operations, paths } from './paths/generated/index.js'
