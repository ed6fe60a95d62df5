export { startOwnPostgres, type OwnPostgres } from './own-postgres.js'
export { startPostgres, type TestPostgres } from './start-postgres.js'
