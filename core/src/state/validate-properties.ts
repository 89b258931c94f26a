import { jsonPointer } from '../json/json-pointer.js';
import type { PropertyType } from '../records/fields.js';
import type { DeclaredRecord } from '../records/registry.js';
import type { RecordFinding, RecordView } from './change.js';
import type { Schemas } from './schemas.js';
import type { Suggest } from './suggest.js';

/** Stored properties that are not those that the type of their record declares, or of another type than it says. */
export function propertyFindings(
  view: RecordView,
  schemas: Schemas,
  record: DeclaredRecord<'resource' | 'subject'>,
  suggest: Suggest,
): RecordFinding[] {
  if (record.fields.properties === undefined) return [];
  const { declared, whose, known = [] } = declaredFor(view, schemas, record);
  if (declared === undefined) return [];
  const findings: RecordFinding[] = [];
  for (const [name, value] of Object.entries(record.fields.properties)) {
    const pointer = jsonPointer('properties', name);
    const wanted = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (wanted === undefined) {
      if (known.includes(name)) continue;
      const meant = suggest(name, () => Object.keys(declared));
      const remedy = meant === undefined ? 'declare it there, or take it out.' : `did you mean "${meant}"?`;
      const detail = `The ${whose} declares no property "${name}": ${remedy}`;
      findings.push({ severity: 'warning', address: record.address, pointer, detail });
    } else if (wanted !== 'any' && propertyTypeOf(value) !== wanted) {
      const detail = `The property "${name}" is a ${propertyTypeOf(value)}, but the ${whose} declares it as ${wanted}.`;
      findings.push({ severity: 'error', address: record.address, pointer, detail });
    }
  }
  return findings;
}

/** Returns the declared properties of a record, who declares them, and which names others use. */
function declaredFor(
  view: RecordView,
  schemas: Schemas,
  { kind, fields }: DeclaredRecord<'resource' | 'subject'>,
): { declared: Readonly<Record<string, PropertyType>> | undefined; whose: string; known?: readonly string[] } {
  if (kind === 'subject')
    return { declared: schemas.subjectTypes.get(fields.type), whose: `subject type "${fields.type}"` };
  const type = view.get(`resource_type/${fields.type}`);
  const own = type?.kind === 'resource_type' ? type.fields : undefined;
  // A property that names parents in requests is warned of by itself.
  const known = own?.parents?.map(({ property }) => property) ?? [];
  return { declared: own?.properties, whose: `type "${fields.type}"`, known };
}

/** The type of a JSON value, in the words of declarations. */
export function propertyTypeOf(value: unknown): PropertyType | 'null' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'map' : (typeof value as 'string' | 'number' | 'boolean');
}
