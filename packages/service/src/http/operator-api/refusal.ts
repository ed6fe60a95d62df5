/** An error response of the operator's API. */
export class OperatorRefusal extends Error {
  override readonly name = 'OperatorRefusal'
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    headers: OperatorRefusal['headers'] = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export function notFound(what: string): OperatorRefusal {
  return new OperatorRefusal(404, 'NOT_FOUND', `There is no ${what}.`)
}

export function invalid(message: string): OperatorRefusal {
  return new OperatorRefusal(400, 'INVALID_INPUT', message)
}
