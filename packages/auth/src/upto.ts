export {
  permit2Address,
  uptoProxyAddress,
  uptoSigner,
  type UptoOptions,
} from './upto/upto-signer.js'
