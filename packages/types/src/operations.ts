export * from './table/generated/index.js'
