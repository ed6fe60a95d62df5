/** Stands in for the file that is emitted beside `rules.ts`, for tests of the runtime. */
export * from '../../src/formats/host-names.js'
