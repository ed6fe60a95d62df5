/** A document that is edited at places known to be there. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Node = Record<string, any>
type Edit = (document: Node) => void

const get = (document: Node): Node => document['paths']['/trams/{id}'].get
const post = (document: Node): Node => document['paths']['/trams'].post
const findTram = (document: Node): Node => document['components'].schemas.Tram
const findNewTram = (document: Node): Node => document['components'].schemas.NewTram
const findParameter = (document: Node, name: string): Node =>
  get(document)['parameters'].find((one: Node) => one['name'] === name)
const omitNamed = (name: string) => (list: Node[]) => list.filter((one) => one['name'] !== name)

/** One change each, by the sentence that names it. */
export const edits: Readonly<Record<string, Edit>> = {
  'an operation is added': (d) =>
    void (d['paths']['/lines'] = {
      get: { operationId: 'listLines', responses: { '204': { description: 'x' } } },
    }),
  'an operation is removed': (d) => void delete d['paths']['/trams'].delete,
  'an operation gets another id': (d) =>
    void (d['paths']['/trams'].delete.operationId = 'scrapAll'),
  'a path changes': (d) => {
    d['paths']['/tram/{id}'] = d['paths']['/trams/{id}']
    delete d['paths']['/trams/{id}']
  },
  'a part of a path gets another name': (d) => {
    findParameter(d, 'id')['name'] = 'tram'
    d['paths']['/trams/{tram}'] = d['paths']['/trams/{id}']
    delete d['paths']['/trams/{id}']
  },
  'a method changes': (d) => {
    d['paths']['/trams'].put = d['paths']['/trams'].post
    delete d['paths']['/trams'].post
  },
  'an operation is deprecated': (d) => void (get(d)['deprecated'] = true),
  'a summary changes': (d) => void (get(d)['summary'] = 'A tram'),
  'tags change': (d) => void (get(d)['tags'] = ['lines']),
  'an operation may no longer be repeated': (d) => void (get(d)['x-idempotent'] = false),
  'a rate limit changes': (d) => void (get(d)['x-rate-limit'] = 'image'),
  'a price changes': (d) => void (get(d)['x-price-usd'] = 0.02),
  'a fact is added': (d) => void (get(d)['x-experimental'] = true),
  'an operation needs another scheme': (d) => void (get(d)['security'] = [{ wallet: [] }]),
  'an operation admits another scheme': (d) =>
    void (get(d)['security'] = [{ key: [] }, { wallet: [] }]),
  'an operation needs two schemes at once': (d) =>
    void (get(d)['security'] = [{ key: [], wallet: [] }]),
  'an operation needs no credentials': (d) => void (get(d)['security'] = []),

  'an optional parameter is added': (d) =>
    void get(d)['parameters'].push({ name: 'n', in: 'query', schema: { type: 'string' } }),
  'a required parameter is added': (d) =>
    void get(d)['parameters'].push({
      name: 'n',
      in: 'query',
      required: true,
      schema: { type: 'string' },
    }),
  'a parameter is removed': (d) =>
    void (get(d)['parameters'] = omitNamed('q')(get(d)['parameters'])),
  'a parameter is required': (d) => void (findParameter(d, 'q')['required'] = true),
  'a parameter moves to a header': (d) => void (findParameter(d, 'q')['in'] = 'header'),
  'a parameter is written in another style': (d) =>
    void (findParameter(d, 'ids')['explode'] = false),
  'a parameter may be longer': (d) => void (findParameter(d, 'q')['schema'].maxLength = 20),
  'a parameter must be shorter': (d) => void (findParameter(d, 'q')['schema'].maxLength = 5),
  'the default of a parameter changes': (d) => void (findParameter(d, 'q')['schema'].default = 'b'),
  'a parameter takes another value': (d) =>
    void findParameter(d, 'sort')['schema'].enum.push('none'),
  'a parameter takes a value less': (d) => void findParameter(d, 'sort')['schema'].enum.pop(),
  'a parameter is described in other words': (d) =>
    void (findParameter(d, 'q')['description'] = 'Words.'),

  'a required field of a request is added': (d) => {
    findNewTram(d)['properties'].depot = { type: 'string' }
    findNewTram(d)['required'].push('depot')
  },
  'an optional field of a request is added': (d) =>
    void (findNewTram(d)['properties'].depot = { type: 'string' }),
  'a field of a request is removed': (d) => void delete findNewTram(d)['properties'].name,
  'a field of a request is required': (d) => void findNewTram(d)['required'].push('name'),
  'a field of a request is optional': (d) => void (findNewTram(d)['required'] = []),
  'a field of a request takes another value': (d) =>
    void findNewTram(d)['properties'].colour.enum.push('green'),
  'a field of a request takes a value less': (d) =>
    void findNewTram(d)['properties'].colour.enum.pop(),
  'a field of a request takes any text': (d) =>
    void delete findNewTram(d)['properties'].colour.enum,
  'a field of a request takes any number': (d) =>
    void (findNewTram(d)['properties'].line.type = 'number'),
  'a field of a request is of another type': (d) =>
    void (findNewTram(d)['properties'].name = { type: 'boolean' }),
  'a field of a request may be null': (d) =>
    void (findNewTram(d)['properties'].name.type = ['string', 'null']),
  'a field of a request is never null': (d) =>
    void (findNewTram(d)['properties'].note.type = 'string'),
  'a bound of a request loosens': (d) => void (findNewTram(d)['properties'].line.maximum = 999),
  'a bound of a request tightens': (d) => void (findNewTram(d)['properties'].line.minimum = 2),
  'a pattern of a request is dropped': (d) => void delete findNewTram(d)['properties'].name.pattern,
  'a pattern of a request changes': (d) =>
    void (findNewTram(d)['properties'].name.pattern = '^[A-Z]+$'),
  'a format of a request is dropped': (d) => void delete findNewTram(d)['properties'].at.format,
  'a format of a request changes': (d) => void (findNewTram(d)['properties'].at.format = 'date'),
  'an array of a request may repeat itself': (d) =>
    void delete findNewTram(d)['properties'].wagons.uniqueItems,
  'a choice of a request has another option': (d) =>
    void findNewTram(d)['properties'].mode.oneOf.push({ type: 'boolean' }),
  'a choice of a request has an option less': (d) =>
    void findNewTram(d)['properties'].mode.oneOf.pop(),
  'an open object of a request is closed': (d) =>
    void (findNewTram(d)['properties'].extra.additionalProperties = false),
  'a closed object of a request is opened': (d) =>
    void (findNewTram(d)['properties'].closed.additionalProperties = true),
  'a body is optional': (d) => void (post(d)['requestBody'].required = false),
  'a body takes another media type': (d) =>
    void (post(d)['requestBody'].content['text/plain'] = { schema: { type: 'string' } }),
  'a body takes a media type less': (d) =>
    void delete post(d)['requestBody'].content['application/x-www-form-urlencoded'],
  'a body is there where none was': (d) =>
    void (d['paths']['/trams'].delete.requestBody = {
      content: { 'application/json': { schema: { type: 'object' } } },
    }),

  'a field of a response is added': (d) =>
    void (findTram(d)['properties'].speed = { type: 'number' }),
  'a field of a closed answer is added': (d) =>
    void (d['components'].schemas.Depot.properties.city = { type: 'string' }),
  'a field of a response is removed': (d) => void delete findTram(d)['properties'].line,
  'a field of a response is always there': (d) => void findTram(d)['required'].push('line'),
  'a field of a response may be missing': (d) => void (findTram(d)['required'] = []),
  'a closed choice of a response has another value': (d) =>
    void findTram(d)['properties'].colour.enum.push('green'),
  'a closed choice of a response has a value less': (d) =>
    void findTram(d)['properties'].colour.enum.pop(),
  'a field of a response may be null': (d) =>
    void (findTram(d)['properties'].id.type = ['string', 'null']),
  'a field of a response is never null': (d) =>
    void (findTram(d)['properties'].driver.type = 'string'),
  'a field of a response is of another type': (d) =>
    void (findTram(d)['properties'].line = { type: 'string' }),
  'a bound of a response loosens': (d) => void (findTram(d)['properties'].stops.maxItems = 99),
  'a bound of a response tightens': (d) => void (findTram(d)['properties'].line.minimum = 2),
  'a format of a response changes': (d) =>
    void (findTram(d)['properties'].built.format = 'date-time'),
  'a choice of a response has another option': (d) =>
    void findTram(d)['properties'].load.anyOf.push({ type: 'boolean' }),
  'a choice of a response has an option less': (d) =>
    void findTram(d)['properties'].load.anyOf.pop(),
  'a response is closed': (d) => void (findTram(d)['additionalProperties'] = false),
  'a closed answer is opened': (d) =>
    void (d['components'].schemas.Depot.additionalProperties = true),
  'a status of success is added': (d) =>
    void (get(d)['responses']['202'] = { description: 'Later.' }),
  'a status of success is removed': (d) => {
    get(d)['responses']['206'] = get(d)['responses']['200']
    delete get(d)['responses']['200']
  },
  'a status of failure is added': (d) =>
    void (get(d)['responses']['409'] = { description: 'Conflict.' }),
  'a status of failure is removed': (d) => void delete get(d)['responses']['404'],
  'a response has another media type': (d) =>
    void (get(d)['responses']['200'].content['text/plain'] = { schema: { type: 'string' } }),
  'a response has another media type in place of its own': (d) => {
    const { content } = get(d)['responses']['200']
    content['application/xml'] = content['application/json']
    delete content['application/json']
  },
  'a header of a response is added': (d) =>
    void (get(d)['responses']['200'].headers.age = { schema: { type: 'integer' } }),
  'a header of a response is removed': (d) => void delete get(d)['responses']['200'].headers.etag,
  'a header of a response may be missing': (d) =>
    void (get(d)['responses']['200'].headers.etag.required = false),

  'a schema that nobody uses is added': (d) =>
    void (d['components'].schemas.More = { type: 'integer' }),
  'a schema that nobody uses is removed': (d) => void delete d['components'].schemas.Unused,
  'a schema that nobody uses changes': (d) =>
    void (d['components'].schemas.Unused.properties.a.type = 'number'),
  'a schema is called otherwise': (d) => {
    d['components'].schemas.Failure = d['components'].schemas.Fault
    delete d['components'].schemas.Fault
    get(d)['responses']['404'].content['application/json'].schema.$ref =
      '#/components/schemas/Failure'
  },
  'a schema is described in other words': (d) => void (findTram(d)['description'] = 'The tram.'),
  'a field is deprecated': (d) => void (findTram(d)['properties'].line.deprecated = true),
  'an example changes': (d) =>
    void (get(d)['responses']['200'].content['application/json'].example.line = 2),
  'the title changes': (d) => void (d['info'].title = 'Tramways'),
  'the version changes': (d) => void (d['info'].version = '2'),
  'a server is added': (d) => void d['servers'].push({ url: 'https://more.example' }),
  'a server is removed': (d) => void (d['servers'] = [{ url: 'https://other.example' }]),
  'the description of a server changes': (d) =>
    void (d['servers'][0].description = 'Another text.'),
  'a table changes': (d) => void (d['x-limits'].audio = 30),
  'a table is removed': (d) => void delete d['x-limits'],
  'a security scheme is another one': (d) =>
    void (d['components'].securitySchemes.key.scheme = 'basic'),
}
