export {
  permit2Address,
  uptoProxyAddress,
  uptoSigner,
  type UptoOptions,
} from './payment/upto-signer.js'
