import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { readFields } from './fields.js'

/** A change of a key or of money: its fields, and the call for their values. */
export type Change = {
  readonly title: string
  readonly note?: string
  readonly fields?: ComponentChildren
  readonly button: string
  readonly send: (values: Readonly<Record<string, string>>) => Promise<unknown>
}

type ChangeDialogProps = {
  readonly change: Change
  readonly onDone: () => void
  readonly onClose: () => void
}

export function ChangeDialog({ change, onDone, onClose }: ChangeDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const [secret, setSecret] = useState<string>()
  useEffect(() => dialog.current?.showModal(), [])

  /** Closing gives the focus back, and what the dialog shows goes with it at once. */
  const close = () => {
    dialog.current?.close()
    onClose()
  }
  const submit = async (form: HTMLFormElement) => {
    setBusy(true)
    setError('')
    try {
      const result = await change.send(readFields(form))
      onDone()
      const created = findSecret(result)
      if (created === undefined) close()
      else setSecret(created)
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure))
    }
    setBusy(false)
  }

  return (
    <dialog ref={dialog} class="small" aria-labelledby="change-title" onClose={onClose}>
      <h2 id="change-title">
        {secret === undefined ? change.title : 'The secret, shown only this once'}
      </h2>
      <form
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(event.currentTarget)
        }}
      >
        {secret !== undefined ? (
          <p>
            <code id="new-secret" tabIndex={0} ref={(code) => code?.focus()}>
              {secret}
            </code>
          </p>
        ) : (
          <>
            {change.note !== undefined && <p>{change.note}</p>}
            {change.fields}
          </>
        )}
        <p class="bad" role="alert">
          {error}
        </p>
        <div class="bar">
          {secret === undefined && (
            <button class="main" disabled={busy}>
              {change.button}
            </button>
          )}
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** The secret of a key that was created or rotated. */
function findSecret(result: unknown): string | undefined {
  return typeof result === 'object' && result !== null && 'secret' in result
    ? String(result.secret)
    : undefined
}
