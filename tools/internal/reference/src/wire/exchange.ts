export type Message = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

/** One step of a call, as the trace lists it, without secrets. */
export type Step =
  | {
      readonly kind: 'exchange'
      readonly method: string
      readonly url: string
      readonly status: number | undefined
      readonly ms: number
      readonly request: Message
      readonly response: Message
    }
  | { readonly kind: 'signature'; readonly what: string; readonly signed: string }
  | { readonly kind: 'charge'; readonly text: string }

/** Adds a step to the trace. */
export type Tell = (step: Step) => void

/** Whether a response streams text, which is shown as it arrives. */
export function isStream({ headers }: Response): boolean {
  const type = headers.get('content-type') ?? ''
  return /^text\/event-stream|^application\/(?:jsonl|x-ndjson|json-seq)/.test(type)
}
