import { withMiddleware, type Middleware } from '@farebox/middleware'

const timed: Middleware = (next) => async (call) => {
  const start = performance.now()
  const response = await next(call)
  console.log(
    call.method,
    new URL(call.url).pathname,
    response.status,
    performance.now() - start < 60_000,
  )
  return response
}

const timedFetch = withMiddleware(fetch, timed)
await timedFetch(`${process.env.FAREBOX_BASE_URL}/models`)
