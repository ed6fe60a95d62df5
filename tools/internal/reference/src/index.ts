export { buildBundle } from './build-bundle.js'
export { operationData } from './contract/operation-data.js'
export {
  readContract,
  type ResponseInfo,
  type Content,
  type OperationPage,
} from './page/contract.js'
export { bodyHtml, fieldsHtml } from './page/fields.js'
export { describeCallers, firstWith } from './page/operation.js'
