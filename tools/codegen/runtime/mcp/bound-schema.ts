/** Stands in for the file that is emitted beside `call-tool.ts`, for tests of the runtime. */
export * from '../../src/emitters/mcp/bound-schema.js'
