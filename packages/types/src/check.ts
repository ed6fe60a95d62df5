export * from './check/generated/index.js'
