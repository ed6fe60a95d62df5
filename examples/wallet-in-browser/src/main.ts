import { evmSigner } from '@farebox/auth'
import { createFarebox, isFareboxError, type Farebox } from 'farebox'

type Ethereum = { request(call: { method: string; params?: readonly string[] }): Promise<unknown> }

/** The service: `?service=https://api.example.com/api/v1`. */
const baseUrl =
  new URLSearchParams(location.search).get('service') ?? 'http://127.0.0.1:4020/api/v1'

const form = find('form', HTMLFormElement)
const text = find('input', HTMLInputElement)
const status = find('[role=status]', HTMLElement)
const audio = find('audio', HTMLAudioElement)

let farebox: Farebox | undefined

form.addEventListener('submit', (event) => {
  event.preventDefault()
  speak(text.value).catch((error: unknown) => {
    status.textContent = isFareboxError(error) ? error.message : String(error)
  })
})

async function speak(input: string): Promise<void> {
  status.textContent = 'Confirm in your wallet …'
  farebox ??= await connect()
  const speech = await farebox.createSpeech({ input, model: 'tts-kokoro', response_format: 'wav' })
  audio.src = URL.createObjectURL(await speech.blob())
  audio.hidden = false
  const { balanceUsd } = await farebox.balance()
  status.textContent = `${balanceUsd} USD left`
}

/** Signs in with the wallet of the browser, and buys 5 USD when the credit is used up. */
async function connect(): Promise<Farebox> {
  const { ethereum } = window as { readonly ethereum?: Ethereum }
  if (ethereum === undefined) throw new Error('Install a wallet, such as MetaMask.')
  const [address] = (await ethereum.request({ method: 'eth_requestAccounts' })) as string[]
  return createFarebox({
    baseUrl,
    wallet: evmSigner(ethereum, address),
    payments: { topUp: { amountUsd: 5, maxUsdPerDay: 5 } },
    signIn: { reuse: true }, // asks once, not for each call
  })
}

function find<Kind extends Element>(selector: string, kind: new () => Kind): Kind {
  const found = document.querySelector(selector)
  if (!(found instanceof kind)) throw new Error(`The page has no ${selector}.`)
  return found
}
