import { defineConfig } from '@farebox/codegen'
import links from './links.js'

export default defineConfig({
  documents: [{ spec: 'tram.yaml', out: 'src/api' }],
  outputs: { types: true },
  plugins: [links],
})
