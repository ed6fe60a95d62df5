export type Message = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

/** One step of a call, as the trace lists it. Nothing in it is secret. */
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

export type Tell = (step: Step) => void
