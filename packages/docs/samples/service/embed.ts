import { createService } from '@farebox/service'

const service = await createService({
  origin: 'http://127.0.0.1:4020',
  adminKey: 'a-long-random-key',
}) // in memory: no `data` given
const response = await service.fetch(new Request('http://127.0.0.1:4020/api/v1/models?type=tts'))
console.log(response.status, response.headers.get('x-ratelimit-limit-requests') !== null)
await service.close()
