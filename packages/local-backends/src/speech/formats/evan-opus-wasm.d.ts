// the package's main entry loads a native module that crashes the process when a worker thread ends
declare module '@evan/opus/wasm/index.mjs' {
  export { Encoder } from '@evan/opus'
}
