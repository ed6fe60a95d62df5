import { bearer } from '@farebox/auth'
import { withMiddleware } from '@farebox/middleware'
import { failureBudget, rateLimit, retry, RetryError } from '@farebox/retry'

const baseUrl = process.env.FAREBOX_BASE_URL ?? ''
const carefulFetch = withMiddleware(
  fetch,
  retry({ attempts: 3 }),
  rateLimit(),
  failureBudget(),
  bearer(process.env.FAREBOX_API_KEY ?? '', { origin: baseUrl }),
)

try {
  const response = await carefulFetch(`${baseUrl}/models`)
  console.log(response.status)
} catch (error) {
  if (!(error instanceof RetryError)) throw error
  console.log(error.code, error.attempts, error.mayHaveArrived, error.retryAt)
}
