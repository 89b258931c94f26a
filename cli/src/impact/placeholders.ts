import { type Address, splitReference } from '@authz-service/core/records/address';
import { type DeclaredRecord, declare, referencesOf } from '@authz-service/core/records/registry';
import { keyFieldsOf } from '@authz-service/core/state/key-fields';
import { parseFields } from '@authz-service/core/state/parse-fields';

/** Kinds whose name alone says what decisions ask of them; of a policy or a type it does not. */
const NAMED: ReadonlySet<string> = new Set(['application', 'group', 'role', 'subject']);

/**
 * Makes records valid together that mention what is not among them: adds a record for each name that is declared
 * nowhere, and leaves out records that mention anything else, and in turn those that mention them. What only this state
 * lacks is no name of elsewhere (`isKnown`): it gets no placeholder.
 */
export function placeholdersFor(
  records: Map<Address, DeclaredRecord>,
  isKnown: (address: Address) => boolean,
): { placeholders: Address[]; leftOut: Address[] } {
  const placeholders: Address[] = [];
  const leftOut: Address[] = [];
  for (let waiting = [...records.values()]; waiting.length > 0; ) {
    const gone = new Set<Address>();
    for (const record of waiting) {
      for (const { target } of referencesOf(record.kind, record.fields)) {
        if (records.has(target)) continue;
        const placeholder = isKnown(target) ? undefined : placeholderFor(target);
        if (placeholder !== undefined) {
          records.set(target, placeholder);
          placeholders.push(target);
          continue;
        }
        gone.add(record.address);
        break;
      }
    }
    for (const address of gone) {
      records.delete(address);
      leftOut.push(address);
    }
    waiting = gone.size === 0 ? [] : [...records.values()];
  }
  return { placeholders, leftOut };
}

function placeholderFor(address: Address): DeclaredRecord | undefined {
  const { kind } = splitReference(address);
  if (!NAMED.has(kind)) return undefined;
  const { fields } = parseFields(kind, JSON.parse(JSON.stringify(keyFieldsOf(address))));
  return fields === undefined ? undefined : (declare(kind, fields) as DeclaredRecord);
}
