export * from './generated/responses.js'
