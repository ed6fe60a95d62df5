import type { TargetedInputEvent } from 'preact'
import { useContext, useRef, useState } from 'preact/hooks'
import type { OAuthData, SchemeData } from '../contract/operation-data.js'
import { Scope } from '../form/field.js'
import {
  chooseAlternative,
  nameAlternative,
  type SessionStore,
  useSession,
} from '../session/session.js'
import type { SessionBarProps } from '../view/edition.js'
import { redirectUri, requestClientToken, signIn } from './oauth.js'

/** The server and the credentials of an operation of any document. */
export function AccessBar({ store, operation }: SessionBarProps) {
  const session = useSession(store)
  const scope = useContext(Scope)
  const { servers = [], alternatives = [] } = operation.access ?? {}
  const chosen = chooseAlternative(operation, session)
  return (
    <fieldset class="fbr-session">
      <legend>Session</legend>
      <div class="fbr-pair">
        <div class="fbr-field">
          <label for={`${scope}-server`}>Server</label>
          <input
            id={`${scope}-server`}
            name="server"
            type="url"
            required
            list={`${scope}-servers`}
            value={session.service}
            spellcheck={false}
            onInput={(event) => store.update({ service: event.currentTarget.value })}
          />
          <datalist id={`${scope}-servers`}>
            {servers.map((server) => (
              <option value={server} />
            ))}
          </datalist>
        </div>
        {alternatives.length > 1 && (
          <div class="fbr-field">
            <label for={`${scope}-alternative`}>Credential</label>
            <select
              id={`${scope}-alternative`}
              name="alternative"
              value={nameAlternative(chosen)}
              onChange={(event) => store.update({ alternative: event.currentTarget.value })}
            >
              {alternatives.map((alternative) => (
                <option value={nameAlternative(alternative)}>
                  {alternative.length === 0 ? 'No credential' : nameAlternative(alternative)}
                </option>
              ))}
            </select>
          </div>
        )}
      </div>
      {chosen.map((scheme) => (
        <Secret key={scheme.name} scheme={scheme} store={store} />
      ))}
      {chosen.length === 0 && (
        <p class="fbr-hint">This operation is called without a credential.</p>
      )}
      {chosen.length > 0 && <Keeping store={store} />}
    </fieldset>
  )
}

function Secret({ scheme, store }: { readonly scheme: SchemeData; readonly store: SessionStore }) {
  const { name, carrier, parameter } = scheme
  const { secrets } = useSession(store)
  const id = `${useContext(Scope)}-secret-${name.replaceAll(/[^\w-]/g, '-')}`
  const set = (secret: string) => store.update({ secrets: { ...secrets, [name]: secret } })
  if (carrier === 'cookie')
    return (
      <p class="fbr-hint">
        <b>{name}</b>: the browser sends its own cookie <code>{parameter}</code>, if the server
        allows requests of this page. A page cannot set a cookie for another host.
      </p>
    )
  const input = { autocomplete: 'off', spellcheck: false } as const
  if (carrier !== 'basic')
    return (
      <div class="fbr-field">
        <label for={id}>
          {name}{' '}
          <span class="fbr-bounds">
            {carrier === 'bearer' ? 'bearer token' : `${carrier} ${parameter}`}
          </span>
        </label>
        <input
          {...input}
          id={id}
          name={`secret-${name}`}
          type="password"
          value={secrets[name] ?? ''}
          onInput={(event) => set(event.currentTarget.value.trim())}
        />
        {scheme.oauth !== undefined && <TokenForm id={id} oauth={scheme.oauth} onToken={set} />}
      </div>
    )
  const [user = '', ...rest] = (secrets[name] ?? '').split(':')
  const password = rest.join(':')
  return (
    <div class="fbr-pair" role="group" aria-label={name}>
      <div class="fbr-field">
        <label for={`${id}-user`}>
          User <span class="fbr-bounds">{name}</span>
        </label>
        <input
          {...input}
          id={`${id}-user`}
          value={user}
          onInput={(event) =>
            set(joinBasic(event.currentTarget.value.replaceAll(':', ''), password))
          }
        />
      </div>
      <div class="fbr-field">
        <label for={id}>
          Password <span class="fbr-bounds">{name}</span>
        </label>
        <input
          {...input}
          id={id}
          type="password"
          value={password}
          onInput={(event) => set(joinBasic(user, event.currentTarget.value))}
        />
      </div>
    </div>
  )
}

type TokenFormProps = {
  readonly id: string
  readonly oauth: OAuthData
  readonly onToken: (token: string) => void
}

/** Gets a token by OAuth 2.0, for the reader who signs in or for the client itself. */
function TokenForm({ id, oauth, onToken }: TokenFormProps) {
  const [client, setClient] = useState({ id: '', secret: '', scope: '' })
  const [status, setStatus] = useState('')
  const attempt = useRef<AbortController>(undefined)
  const request = async (task: (signal: AbortSignal) => Promise<string>) => {
    attempt.current?.abort()
    const own = new AbortController()
    attempt.current = own
    setStatus('Waiting for the authorization server …')
    try {
      onToken(await task(own.signal))
      setStatus('The token is filled in.')
    } catch (error) {
      if (!own.signal.aborted) setStatus(error instanceof Error ? error.message : String(error))
    }
  }
  const field = (name: keyof typeof client, label: string) => {
    const input = {
      id: `${id}-${name}`,
      autocomplete: 'off',
      spellcheck: false,
      value: client[name],
      onInput: (event: TargetedInputEvent<HTMLInputElement>) =>
        setClient({ ...client, [name]: event.currentTarget.value.trim() }),
    } as const
    return (
      <div class="fbr-field">
        <label for={input.id}>{label}</label>
        {name === 'secret' ? (
          <input {...input} type="password" />
        ) : (
          <input {...input} type="text" />
        )}
      </div>
    )
  }
  const { authorizationUrl, isForClients, scopes } = oauth
  return (
    <details>
      <summary>Get a token by OAuth 2.0</summary>
      {field('id', 'Client ID')}
      {isForClients && field('secret', 'Client secret')}
      {field('scope', 'Scopes')}
      {scopes.length > 0 && <p class="fbr-hint">Separated by spaces: {scopes.join(' ')}</p>}
      <div class="fbr-row">
        {authorizationUrl !== undefined && (
          <button
            type="button"
            class="fbr-small"
            disabled={client.id === ''}
            onClick={() => void request((signal) => signIn(oauth, client, signal))}
          >
            Sign in
          </button>
        )}
        {isForClients && (
          <button
            type="button"
            class="fbr-small"
            disabled={client.id === '' || client.secret === ''}
            onClick={() => void request(() => requestClientToken(oauth, client))}
          >
            Get a token for the client
          </button>
        )}
      </div>
      {authorizationUrl !== undefined && (
        <p class="fbr-hint">
          The redirect URI of the client: <code>{redirectUri()}</code>
        </p>
      )}
      <p role="status">{status}</p>
    </details>
  )
}

function joinBasic(user: string, password: string): string {
  return user === '' && password === '' ? '' : `${user}:${password}`
}

/** Whether the credentials are stored, and the button that forgets them. */
function Keeping({ store }: { readonly store: SessionStore }) {
  const { keep } = useSession(store)
  return (
    <>
      <div class="fbr-row">
        <label class="fbr-check">
          <input
            type="checkbox"
            name="keep"
            checked={keep}
            onChange={(event) => store.update({ keep: event.currentTarget.checked })}
          />
          Keep in this tab
        </label>
        <button
          type="button"
          class="fbr-small"
          onClick={() => store.update({ keep: false, secrets: {} })}
        >
          Forget all
        </button>
      </div>
      <p class="fbr-hint">
        {keep
          ? 'The credentials are in the storage of this tab until you close it or choose "Forget all".'
          : 'Credentials stay in the memory of this page: the next page asks again.'}
      </p>
    </>
  )
}
