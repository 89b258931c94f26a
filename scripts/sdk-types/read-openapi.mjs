/**
 * The cloud's OpenAPI document as the SDKs need it: kinds of records with their fields, and problem codes. The document
 * is built from the routes alone, without a running cloud.
 */

/**
 * @typedef {object} Type
 * @property {'string'|'time'|'integer'|'number'|'boolean'|'any'|'list'|'map'|'object'|'enum'} type
 * @property {Type} [of] the members of a list or map
 * @property {string[]} [values] of an enum
 * @property {true} [only] of a boolean that is never false
 * @property {string} [name] of an object or enum: the kind and the field, as `['policy', 'modifiers']` joined by `_`
 * @property {Field[]} [fields] of an object
 *
 * @typedef {object} Field
 * @property {string} name as on the wire
 * @property {string} description
 * @property {boolean} required
 * @property {Type} type
 *
 * @typedef {object} Kind
 * @property {string} kind `policy_assignment`
 * @property {string} collection `/v1/policy-assignments`
 * @property {Field[]} record as it is read
 * @property {Field[]} input as it is made
 * @property {Field[] | undefined} made as a POST answers, where that is more than a record: a credential
 *
 * @returns {Promise<{ kinds: Kind[], problems: { code: string, description: string }[], scopes: string[] }>}
 */
export async function readOpenapi() {
  const { allRoutes } = await import('../../cloud/dist/routes/routes.js');
  const { openapiDocument } = await import('../../cloud/dist/openapi/document.js');
  const { PROBLEMS } = await import('../../core/dist/problem.js');
  const { paths, components } = openapiDocument(allRoutes({}), 'http://localhost');
  const kinds = Object.entries(paths).flatMap(([path, { get, post }]) => {
    const record = reference(get?.responses[200]?.content?.['application/json']?.schema?.properties?.items?.items);
    const input = reference(post?.requestBody?.content['application/json']?.schema);
    if (record === undefined || input === undefined) return [];
    const kind = components.schemas[record].properties.kind.const;
    const made = reference(post.responses[201].content['application/json'].schema);
    const fieldsOf = (name) => fields(components.schemas[name], kind);
    return [
      {
        kind,
        collection: path,
        record: fieldsOf(record),
        input: fieldsOf(input),
        made: made === record ? undefined : fieldsOf(made),
      },
    ];
  });
  const problems = Object.entries(PROBLEMS).map(([code, description]) => ({ code, description }));
  return { kinds, problems };
}

function reference(schema) {
  return schema?.$ref?.split('/').at(-1);
}

function fields(schema, owner) {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, member]) => ({
    name,
    description: member.description ?? '',
    required: required.has(name),
    type: typeOf(member, owner, name),
  }));
}

function typeOf(schema, owner, name) {
  if (schema.enum) return { type: 'enum', values: schema.enum, name: `${owner}_${name}` };
  if (schema.anyOf) {
    const types = schema.anyOf.map((member) => typeOf(member, owner, name).type);
    return { type: types.every((type) => type === types[0]) ? types[0] : 'any' };
  }
  if (schema.type === 'array') return { type: 'list', of: typeOf(schema.items, owner, singular(name)) };
  if (schema.type === 'object' && schema.properties && Object.keys(schema.properties).length > 0) {
    return { type: 'object', name: `${owner}_${name}`, fields: fields(schema, owner) };
  }
  if (schema.type === 'object') {
    return { type: 'map', of: schema.additionalProperties ? typeOf(schema.additionalProperties, owner, name) : any };
  }
  if (schema.const === true) return { type: 'boolean', only: true };
  if (schema.format === 'date-time') return { type: 'time' };
  return ['string', 'integer', 'number', 'boolean'].includes(schema.type) ? { type: schema.type } : any;
}

const any = { type: 'any' };

function singular(name) {
  return name.replace(/s$/, '');
}
