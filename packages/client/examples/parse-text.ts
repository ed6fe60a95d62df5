import { createClient } from '@farebox/client'

const client = createClient({ baseUrl: 'http://127.0.0.1:4020/api/v1' })
const result = await client.parseText({ file: { path: 'report.pdf' }, response_format: 'json' })

if (result.status === 200) console.log(result.data)
else if (result.status === 402) console.log('not enough credit:', result.error)
else console.log(result.status, result.error)
