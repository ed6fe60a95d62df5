import type { EvmSigner } from '@farebox/auth'

type Access = { readonly fetch: typeof fetch; readonly signer?: EvmSigner }

/** Lets a form call a service. The wallet and the key live in this closure and nowhere else. */
export function startConsole(form: HTMLFormElement): void {
  const output = form.querySelector('output')
  const choice = form.querySelector<HTMLSelectElement>('[name=access]')
  if (output === null) return
  let wallet: EvmSigner | undefined

  const origin = () => new URL(valueOf(form, 'origin')).origin
  const choose = () => {
    for (const node of form.querySelectorAll<HTMLElement>('.for-key')) node.hidden = choice?.value !== 'key'
    for (const node of form.querySelectorAll<HTMLElement>('.for-wallet')) node.hidden = choice?.value !== 'wallet'
  }
  choice?.addEventListener('change', choose)
  choose()

  /**
   * `fetch` with what the chosen credential adds. The code for wallets is loaded when one is
   * wanted.
   */
  const access = async (): Promise<Access> => {
    if (choice?.value === 'none' || choice === null) return { fetch: (...request) => fetch(...request) }
    const [{ bearer, payment, wallet: signIn }, { withMiddleware }] = await Promise.all([
      import('@farebox/auth'),
      import('@farebox/middleware'),
    ])
    if (choice.value === 'key') return { fetch: withMiddleware(fetch, bearer(valueOf(form, 'key'), { origin: origin() })) }
    const { generatePrivateKey, privateKeySigner } = await import('@farebox/auth/keys')
    const signer = (wallet ??= privateKeySigner(generatePrivateKey()))
    const pay = payment(signer, { origin: origin(), amountUsd: 5, maxUsdPerPayment: 5, maxUsdPerDay: 100 })
    return { signer, fetch: withMiddleware(fetch, pay, signIn(signer, { origin: origin() })) }
  }

  const run = async (send: (access: Access) => Promise<Response>) => {
    const buttons = form.querySelectorAll('button')
    for (const button of buttons) button.disabled = true
    output.replaceChildren(line('Sending …'))
    try {
      const used = await access()
      const start = performance.now()
      const response = await send(used)
      await show(output, response, performance.now() - start, used.signer?.address)
    } catch (error) {
      output.replaceChildren(line(explain(error)))
    } finally {
      for (const button of buttons) button.disabled = false
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run(({ fetch, signer }) => fetch(...requestOf(form, origin(), signer?.address)))
  })
  form.querySelector('.top-up')?.addEventListener('click', () => {
    void run(({ fetch }) => fetch(`${origin()}/api/v1/x402/top-up`, { method: 'POST' }))
  })
}

function requestOf(form: HTMLFormElement, origin: string, address: string | undefined): [string, RequestInit] {
  const { method = 'GET', path = '' } = form.dataset
  const query = new URLSearchParams()
  const data = new FormData()
  let filled = path
  for (const field of form.querySelectorAll<HTMLInputElement>('[data-in]')) {
    const value = field.value === '' && field.name === 'walletAddress' ? (address ?? '') : field.value
    if (field.dataset['in'] === 'path') filled = filled.replace(`{${field.name}}`, encodeURIComponent(value))
    else if (field.type === 'file' && field.files?.[0]) data.set(field.name, field.files[0])
    else if (value !== '' && field.dataset['in'] === 'query') query.set(field.name, value)
    else if (value !== '' && field.dataset['in'] === 'form') data.set(field.name, value)
  }
  const url = `${origin}/api/v1${filled}${query.size > 0 ? `?${query}` : ''}`
  const body = form.querySelector<HTMLTextAreaElement>('[name=body]')
  if (body !== null) return [url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(JSON.parse(body.value)) }]
  return [url, { method, ...(form.querySelector('[data-in=form]') !== null && { body: data }) }]
}

/** The status, the informative headers, and the body by its type. */
async function show(output: HTMLOutputElement, response: Response, milliseconds: number, address: string | undefined): Promise<void> {
  const type = response.headers.get('content-type') ?? ''
  const blob = await response.blob()
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  output.replaceChildren(
    line(
      `${response.status} ${response.statusText}, ${Math.round(milliseconds)} ms, ${blob.size} bytes${address === undefined ? '' : `, as ${address}`}`,
    ),
    await bodyOf(blob, type),
    block(headers, 'Headers of the answer'),
  )
}

async function bodyOf(blob: Blob, type: string): Promise<HTMLElement> {
  if (/^(?:audio|video)\//.test(type)) {
    const player = document.createElement(type.startsWith('audio') ? 'audio' : 'video')
    player.controls = true
    player.src = URL.createObjectURL(new Blob([blob], { type }))
    return player
  }
  const text = await blob.text()
  return block(type.startsWith('application/json') ? JSON.stringify(JSON.parse(text), null, 2) : text, 'Body of the answer')
}

function valueOf(form: HTMLFormElement, name: string): string {
  return form.querySelector<HTMLInputElement>(`[name=${name}]`)?.value.trim() ?? ''
}

function line(text: string): HTMLElement {
  const paragraph = document.createElement('p')
  paragraph.textContent = text
  return paragraph
}

function block(text: string, label: string): HTMLElement {
  const pre = document.createElement('pre')
  pre.tabIndex = 0
  pre.setAttribute('role', 'region')
  pre.setAttribute('aria-label', label)
  pre.textContent = text
  return pre
}

function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof SyntaxError) return `The body is not JSON: ${message}`
  if (error instanceof TypeError) return `No answer came (${message}). Is the service running at this address?`
  return message
}
