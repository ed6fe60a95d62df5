/** The part of hey-api's client that is used. Its package has it as source, for generated code. */
declare module '@hey-api/client-fetch' {
  type Sent = {
    readonly url: string
    readonly body: object
    readonly headers: Readonly<Record<string, string | null>>
  }
  type Config = {
    readonly baseUrl: string
    readonly fetch: typeof globalThis.fetch
    readonly throwOnError: true
  }
  export const formDataBodySerializer: { readonly bodySerializer: (body: never) => FormData }
  export function createClient(config: Config): {
    post(
      sent: Sent & Partial<typeof formDataBodySerializer>,
    ): Promise<{ readonly data: { readonly text: string } }>
  }
}
