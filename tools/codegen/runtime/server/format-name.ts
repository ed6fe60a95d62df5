/** Stands in for the file that is emitted beside this one, for tests of the runtime. */
export * from '../client/format-name.js'
