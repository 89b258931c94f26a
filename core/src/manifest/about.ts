import type { Json } from '../json/json.js';
import { jsonPointer } from '../json/json-pointer.js';
import { isKind, type Kind } from '../records/kinds.js';
import { addressOf } from '../records/registry.js';
import { fieldsOf } from './notation.js';
import type { About } from './source.js';

/** The words before a fault's colon: the record's address, or `label` where its key fields do not give one. */
export function aboutRecord(kind: Kind, input: Record<string, Json>, label: string): About {
  const keyed = fieldsOf(kind).keys.every(({ name, optional }) => {
    const value = input[name];
    return typeof value === 'string' || (value === undefined && optional);
  });
  if (!keyed) return { label };
  const address = addressOf(kind, input);
  return { label: address, address };
}

/** The same, about a field of it. */
export function inField(about: About, path: readonly PropertyKey[]): About {
  if (path.length === 0) return about;
  const [first, ...rest] = path;
  const field = [keyIn(about, first), ...rest]
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  const { label, address } = about;
  return {
    label: `${label}: ${field.startsWith('.') ? field.slice(1) : field}`,
    ...(address !== undefined && { address, pointer: jsonPointer(...path) }),
  };
}

/** The key in YAML of a field, which is another one for some. */
function keyIn({ address }: About, field: PropertyKey | undefined): PropertyKey {
  const kind = address?.slice(0, address.indexOf('/')) ?? '';
  return (isKind(kind) ? fieldsOf(kind).renamed.get(String(field)) : undefined) ?? field ?? '';
}
