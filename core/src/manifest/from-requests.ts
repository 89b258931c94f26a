import type { Json, JsonObject } from '../json/json.js';
import { describe, YAML_WORDS } from '../records/describe.js';
import { unknownKeyText } from '../records/issue-text.js';
import type { Kind } from '../records/kinds.js';
import { inField } from './about.js';
import type { Declarations } from './declarations.js';
import { nodeAt, type Origin } from './locate.js';
import { type About, placeText } from './source.js';
import { UNUSABLE, type YamlDocument } from './yaml-document.js';
import type { YamlNode } from './yaml-node.js';

const FIELD = 'from_requests';
/** Stands at a property as `sensitive: true`, and in the record as a list of names. */
const SENSITIVE = 'sensitive';
const PROPERTY_KEYS = ['type', FIELD, SENSITIVE];

/** A type that says for itself, or for some of its properties, whether requests may send them. */
interface SendingType {
  readonly kind: Kind;
  readonly origin: Origin;
  readonly about: About;
  /** Whether its properties may be sent that say nothing. */
  readonly whole: boolean | undefined;
  readonly each: ReadonlyMap<string, boolean>;
}

/** Whether this is a field of a type whose properties say which of them requests may send. */
export function isSendable(kind: Kind, field: string): boolean {
  return (kind === 'resource_type' || kind === 'subject_type') && (field === FIELD || field === 'properties');
}

/**
 * The notation of what requests may send: `from_requests: false` on a type, on one of its properties, and in the defaults of
 * a tree. Records know one list of names, which is settled when all files have been read.
 */
export class FromRequests {
  readonly #types: SendingType[] = [];
  #default: { value: boolean; place: string } | undefined;

  /** Reads the mapping `defaults` of a file. */
  readDefaults(document: YamlDocument, node: YamlNode): void {
    const about: About = { label: 'defaults' };
    const value = document.json(node, () => about);
    if (value === UNUSABLE) return;
    if (!isObject(value)) {
      document.fault(node, about, `must be a mapping: write "{ ${FIELD}: false }".`);
      return;
    }
    for (const key of Object.keys(value)) if (key !== FIELD) document.fault(node, about, unknownKeyText(key, [FIELD]));
    const said = value[FIELD];
    if (said === undefined) return;
    if (typeof said !== 'boolean') {
      document.fault(node, about, `${FIELD} ${notBoolean(said)}`);
      return;
    }
    const place = placeText(document.place(node));
    this.#default ??= { value: said, place };
    if (this.#default.value !== said)
      document.fault(node, about, `${FIELD} is ${said} here and ${!said} at ${this.#default.place}: keep one of them.`);
  }

  /** Reads what a type says into the form of its record, as far as it can be known yet. */
  read(kind: Kind, origin: Origin, about: About): void {
    const { input, document } = origin;
    const each = new Map<string, boolean>();
    const sensitive: string[] = [];
    if (isObject(input.properties)) {
      const types: JsonObject = {};
      for (const [name, declared] of Object.entries(input.properties)) {
        if (!isObject(declared)) {
          types[name] = declared;
          continue;
        }
        const at = ['properties', name];
        const fault = (key: string, text: string) =>
          document.fault(nodeAt(origin, [...at, key]), inField(about, at), text);
        for (const key of Object.keys(declared))
          if (!PROPERTY_KEYS.includes(key)) fault(key, unknownKeyText(key, PROPERTY_KEYS));
        if (declared.type === undefined) fault('type', `has no type: write "{ type: string, ${FIELD}: false }".`);
        else types[name] = declared.type;
        const said = declared[FIELD];
        if (typeof said === 'boolean') each.set(name, said);
        else if (said !== undefined) fault(FIELD, `${FIELD} ${notBoolean(said)}`);
        const masked = declared[SENSITIVE];
        if (masked === true) sensitive.push(name);
        else if (masked !== undefined && masked !== false) fault(SENSITIVE, `${SENSITIVE} ${notBoolean(masked)}`);
      }
      input.properties = types;
    }
    if (sensitive.length > 0 && input[SENSITIVE] !== undefined) {
      const text = `lists properties, and ${sensitive.map((name) => `"${name}"`).join(', ')} say it themselves: keep one of them.`;
      document.fault(nodeAt(origin, [SENSITIVE]), inField(about, [SENSITIVE]), text);
    } else if (sensitive.length > 0) input[SENSITIVE] = sensitive;
    const whole = input[FIELD];
    if (typeof whole === 'boolean') {
      delete input[FIELD];
      this.#types.push({ kind, origin, about, whole, each });
    } else if (whole === undefined) this.#types.push({ kind, origin, about, whole, each });
    else if (each.size > 0 && Array.isArray(whole)) {
      const text = `lists properties, and ${[...each.keys()].map((name) => `"${name}"`).join(', ')} say it themselves: keep one of them.`;
      document.fault(nodeAt(origin, [FIELD]), inField(about, [FIELD]), text);
    }
  }

  /** Whether requests may send and name what says nothing of it. */
  get byDefault(): boolean {
    return this.#default?.value ?? true;
  }

  /** Settles what each type, and each role that says nothing, takes from requests. */
  settle(declarations: Declarations): void {
    const { byDefault } = this;
    for (const { kind, origin, about, whole = byDefault, each } of this.#types) {
      if (whole && ![...each.values()].includes(false)) continue;
      const { properties, parents } = origin.input as { properties?: JsonObject; parents?: Json };
      const named = (Array.isArray(parents) ? parents : []).map((parent) => (parent as JsonObject | null)?.property);
      const names = [...Object.keys(properties ?? {}), ...named.filter((name) => typeof name === 'string')];
      origin.input[FIELD] = names.filter((name) => each.get(name) ?? whole);
      declarations.declareAgain(kind, origin, about);
    }
    if (byDefault) return;
    for (const { record } of declarations.origins.values()) {
      if (record?.kind !== 'role') continue;
      const said = record.fields[FIELD];
      if (said === undefined) record.fields[FIELD] = false;
      // Absent says the same, as where there are no defaults.
      else if (said) delete record.fields[FIELD];
    }
  }
}

/** The JSON Schema of a field that `isSendable`, as YAML writes it. */
export function sendableSchema(field: string, own: JsonObject): JsonObject {
  if (field === FIELD) {
    const { description, ...list } = own;
    return { description: `${description} Short: \`false\` for none.`, anyOf: [{ type: 'boolean' }, list] };
  }
  const type = own.additionalProperties as JsonObject;
  const property = {
    type: 'object',
    properties: {
      type,
      [FIELD]: { type: 'boolean', description: 'Whether requests may send it.' },
      [SENSITIVE]: {
        type: 'boolean',
        description: 'Whether its values are masked in decision logs and in what plans show.',
      },
    },
    required: ['type'],
    additionalProperties: false,
  };
  return { ...own, additionalProperties: { anyOf: [type, property] } };
}

export const DEFAULTS_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    [FIELD]: {
      type: 'boolean',
      description:
        'Whether requests may send properties and name roles, where a type, a property or a role does not say.',
    },
  },
  additionalProperties: false,
};

function notBoolean(value: Json): string {
  return `${describe(value, YAML_WORDS)}, and must be true or false.`;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
