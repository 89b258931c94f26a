import { NO_SCHEMAS, SchemaTypes } from '../conditions/evaluate/schema-types.js';
import { EVERY_TYPE, EVERYONE } from '../records/everyone.js';
import type { PropertyType } from '../records/fields.js';
import type { DeclaredRecord } from '../records/registry.js';
import { slipOf } from '../text/nearest.js';
import type { RecordFinding, RecordView } from './change.js';

type Properties = Readonly<Record<string, PropertyType>> | undefined;

/** The schemas of a tenant, read when they are asked for first. A view that lists no records has none. */
export class Schemas {
  #read: ReturnType<typeof readSchemas> | undefined;

  constructor(private readonly view: RecordView) {}

  /** The types that conditions are checked against. */
  get types(): SchemaTypes {
    return this.#schemas.types;
  }

  /** The properties of each declared type of subjects; undefined where they may be any. */
  get subjectTypes(): ReadonlyMap<string, Properties> {
    return this.#schemas.subjectTypes;
  }

  get contextAttributes(): ReadonlyMap<string, PropertyType> {
    return this.#schemas.contextAttributes;
  }

  /** Warns of a type of subjects that looks like a slip for a declared one. */
  typeFindings(record: DeclaredRecord): RecordFinding[] {
    const [type, field] = typeNamedBy(record) ?? [];
    const { subjectTypes } = this;
    if (type === undefined || subjectTypes.size === 0 || subjectTypes.has(type)) return [];
    const meant = slipOf(type, subjectTypes.keys());
    if (meant === undefined) return [];
    const detail = `Nobody declares a subject type "${type}": did you mean "${meant}"? If not, declare it, too.`;
    return [{ severity: 'warning', address: record.address, pointer: `/${field}`, detail }];
  }

  get #schemas() {
    this.#read ??= readSchemas(this.view);
    return this.#read;
  }
}

function readSchemas(view: RecordView) {
  const subjectTypes = new Map<string, Properties>();
  const contextAttributes = new Map<string, PropertyType>();
  for (const address of view.addresses?.('subject_type') ?? []) {
    const record = view.get(address);
    if (record?.kind === 'subject_type') subjectTypes.set(record.fields.name, record.fields.properties);
  }
  for (const address of view.addresses?.('context_attribute') ?? []) {
    const record = view.get(address);
    if (record?.kind === 'context_attribute') contextAttributes.set(record.fields.name, record.fields.type);
  }
  const none = subjectTypes.size + contextAttributes.size === 0;
  return {
    subjectTypes,
    contextAttributes,
    types: none ? NO_SCHEMAS : new SchemaTypes({ subjectTypes, contextAttributes }),
  };
}

/** The type of subjects that a record names, and in which field. */
function typeNamedBy({ kind, fields }: DeclaredRecord): [type: string, field: string] | undefined {
  if (kind === 'subject') return [fields.type, 'type'];
  if (kind !== 'role_assignment' && kind !== 'policy_assignment') return undefined;
  const { entity_type, entity } = fields;
  // An encoded name is no slip for a plain one.
  const named = entity_type === EVERYONE && entity !== EVERY_TYPE && !entity.includes('%');
  return named ? [entity, 'entity'] : undefined;
}
