import { useContext } from 'preact/hooks'
import type { OperationData, Values } from '../contract/operation-data.js'
import { findShape } from '../contract/schema.js'
import { Field, ObjectInput, Scope } from './field.js'
import { JsonInput } from './plain-input.js'
import type { Problems } from './problems.js'

type Props = {
  readonly operation: OperationData
  readonly values: Values
  readonly problems: Problems
  readonly onChange: (values: Values) => void
}

/** The fields of an operation, with its body also as JSON. Both edit the same values. */
export function OperationForm({
  operation: { parameters, body },
  values,
  problems,
  onChange,
}: Props) {
  const jsonId = `${useContext(Scope)}-json`
  const shape = body && findShape(body.schema)
  const isJson = body?.mediaType === 'application/json'
  const change = (changed: unknown) => onChange({ ...values, body: changed })
  return (
    <>
      {parameters.length > 0 && (
        <div class="fbr-fields">
          {parameters.map(({ name, in: place, schema, required }) => (
            <Field
              key={name}
              name={name}
              at={`${place}.${name}`}
              schema={schema}
              required={required}
              value={values[place]?.[name]}
              problems={problems}
              onChange={(value) =>
                onChange({ ...values, [place]: { ...values[place], [name]: value } })
              }
            />
          ))}
        </div>
      )}
      {body !== undefined && (
        <div class={isJson ? 'fbr-body fbr-beside' : 'fbr-body'}>
          <div class="fbr-fields" role="group" aria-label="Fields of the body">
            {problems['body'] !== undefined && <p class="fbr-problem">{problems['body']}</p>}
            {shape?.kind === 'object' ? (
              <ObjectInput
                at="body"
                shape={shape}
                value={values.body}
                problems={problems}
                onChange={change}
              />
            ) : (
              <Field
                name="body"
                at="body"
                schema={body.schema}
                required
                value={values.body}
                problems={problems}
                onChange={change}
              />
            )}
          </div>
          {isJson && (
            <div class="fbr-field">
              <label for={jsonId}>Body as JSON</label>
              <JsonInput
                labelled={{ id: jsonId }}
                value={values.body}
                rows={10}
                onChange={change}
              />
            </div>
          )}
        </div>
      )}
    </>
  )
}
