import { buildApi, formatDiagnostic, loadDocument } from '@farebox/codegen'
import { writeFile } from 'node:fs/promises'

await writeFile(
  'tram.yaml',
  "openapi: 3.1.0\ninfo: { title: Tram, version: '1' }\npaths:\n  /lines: { get: { operationId: listLines, responses: { '200': { description: All } } } }\n",
)

const { document, diagnostics } = await loadDocument('tram.yaml')
if (document === undefined) throw new Error(diagnostics.map(formatDiagnostic).join('\n'))
const { api } = buildApi(document)
for (const { id, method, path } of api?.operations ?? []) console.log(id, method, path)
