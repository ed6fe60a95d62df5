export { generatePrivateKey, privateKeySigner } from './private-key-signer.js'
