import type { Kind } from '@authz-service/core/records/kinds';
import { definitionOf, type StoredRecord } from '@authz-service/core/records/registry';
import { type Diagnostic, refuse } from '../framework/diagnostics.js';
import type { DataSource } from '../framework/provider.js';
import type { Attribute, Attributes } from '../framework/schema.js';
import { isWhollyKnown, type Value, type Values } from '../framework/value.js';
import { judgeField } from './judge.js';
import { identityOf, type RecordForm, recordForm, typeName, valuesOf } from './record-form.js';
import { explained } from './refusals.js';
import { type Configured, serviceOf } from './service.js';
import type { Records } from './snapshot.js';

/** The facts about a record in addition to its fields and owner. */
const times = {
  created_at: read('When the record was created (RFC 3339, UTC).'),
  updated_at: read('When it was last changed (RFC 3339, UTC).'),
};

function read(description: string): Attribute {
  return { type: 'string', description, computed: true };
}

/** Attributes that the service provides: all of them are computed. */
export function readAttributes({ attributes }: RecordForm): Attributes {
  return { ...asRead(attributes), ...times };
}

function asRead(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]): [string, Attribute] => {
      const { description } = attribute;
      return [
        name,
        'type' in attribute
          ? { type: attribute.type, description, computed: true }
          : { nested: attribute.nested, attributes: asRead(attribute.attributes), description, computed: true },
      ];
    }),
  );
}

export function readValues(form: RecordForm, record: StoredRecord): { [name: string]: Value } {
  return { ...valuesOf(form, record), created_at: record.created_at, updated_at: record.updated_at };
}

/** Reads one record of a kind, by its natural key, its path, its address or its id. */
export function recordSource(kind: Kind): DataSource<Configured> {
  const form = recordForm(kind);
  const handles = ['address', 'path', ...(form.forms.has('id') ? [] : ['id'])];
  const asked = new Set([...handles, ...form.key.keys()]);
  const attributes = Object.fromEntries(
    Object.entries(readAttributes(form)).map(([name, attribute]) => [
      name,
      asked.has(name) ? { ...attribute, optional: true } : attribute,
    ]),
  );
  const required = [...form.key.keys()].filter((name) => form.attributes[name]?.required);
  const ways = `${required.map((name) => `"${name}"`).join(' and ')}, or one of ${handles.map((name) => `"${name}"`).join(', ')}`;

  return {
    schema: { version: 0, description: `Reads one record. ${definitionOf(kind).docs}`, attributes },

    validate(config): Diagnostic[] {
      const given = [...asked].filter((name) => (config[name] ?? null) !== null);
      const byHandle = given.filter((name) => handles.includes(name));
      const byKey = given.filter((name) => !handles.includes(name));
      const whole = required.every((name) => byKey.includes(name));
      if (byHandle.length === 1 ? byKey.length === 0 : byHandle.length === 0 && whole) return [];
      const several = given.map((name) => `"${name}"`).join(' and ');
      const both = byHandle.length > 0 ? `: ${several} are given, but not both can count` : '';
      return [{ severity: 'error', summary: 'Record not identified', detail: `Give ${ways}${both}.` }];
    },

    async read(configured, config, { signal }) {
      const service = serviceOf(configured);
      const records = await explained(signal, () => service.present(signal));
      const record = lookUp(form, records, config);
      if (record?.kind === kind) return readValues(form, record);
      const wanted = [...asked].filter((name) => (config[name] ?? null) !== null);
      const other = wanted.map((name) => records.get(String(config[name]))).find((found) => found !== undefined);
      if (other !== undefined) {
        const [address, type] = [`"${other.address}"`, typeName(other.kind)];
        const detail =
          other.kind === kind
            ? `${address} is an address: give it as "address".`
            : `${address} is read with data "${type}", not with data "${typeName(kind)}".`;
        throw refuse('Record not identified', detail, wanted.slice(0, 1));
      }
      const text = wanted.map((name) => `${name} "${String(config[name])}"`).join(', ');
      const remedy =
        'If this configuration creates it, name the resource in depends_on, because its path is known before it exists.';
      throw refuse('No such record', `There is no ${kind} with ${text}. ${remedy}`, wanted.slice(0, 1));
    },
  };
}

function lookUp(form: RecordForm, records: Records, config: Values): StoredRecord | undefined {
  const { address = null, path = null, id = null } = config;
  if (address !== null) return records.get(String(address));
  if (path !== null) return records.get(`${form.kind}/${String(path)}`);
  if (id !== null && !form.forms.has('id')) return records.find(form.kind, String(id));
  return records.get(String(identityOf(form, config).address));
}

/** Lists the records of a kind that have the given values, or all of them if none is given. */
export function recordList(kind: Kind): DataSource<Configured> {
  const form = recordForm(kind);
  const filters: Attributes = Object.fromEntries(
    Object.entries(form.attributes)
      .filter(
        ([name, attribute]) =>
          'type' in attribute && typeof attribute.type === 'string' && name !== 'address' && name !== 'path',
      )
      .filter(([name]) => name !== 'id' || form.forms.has('id'))
      .map(([name, attribute]) => [name, { ...attribute, ...FILTER, description: `Filter: ${attribute.description}` }]),
  );
  return {
    schema: {
      version: 0,
      description: `Lists records, in the order of their addresses. ${definitionOf(kind).docs} To list them after a resource that creates or changes them has been applied, name that resource in \`depends_on\`.`,
      attributes: {
        ...filters,
        items: { nested: 'list', attributes: readAttributes(form), description: 'The records found.', computed: true },
      },
    },

    // A value that no record can have would find nothing and look like an answer.
    validate(config): Diagnostic[] {
      return [...form.forms].flatMap(([name, field]) =>
        Object.hasOwn(filters, name) ? judgeField(form, name, field, config[name] ?? null) : [],
      );
    },

    async read(configured, config, { signal }) {
      const service = serviceOf(configured);
      const records = await explained(signal, () => service.present(signal));
      const items = [...records.all()]
        .filter((record) => record.kind === kind)
        .map((record) => readValues(form, record))
        .filter((values) =>
          Object.entries(filters).every(([name, filter]) => fits(filter, config[name] ?? null, values[name] ?? null)),
        )
        .sort((left, right) => (String(left.address) < String(right.address) ? -1 : 1));
      return { ...config, items };
    },
  };
}

const FILTER = { required: false, optional: true, computed: false, replace: false, default: undefined } as const;

function fits(filter: Attribute, wanted: Value, value: Value): boolean {
  return (
    wanted === null ||
    wanted === value ||
    (value !== null && isWhollyKnown(wanted) && filter.same?.(wanted, value) === true)
  );
}
