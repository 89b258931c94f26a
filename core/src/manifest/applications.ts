import { append } from '../collections/append.js';
import type { Json } from '../json/json.js';
import { type Address, address, path } from '../records/address.js';
import type { Declarations } from './declarations.js';
import type { Changes } from './environment-changes.js';
import { originText } from './locate.js';
import { COLLECTIONS, type RecordsNotation } from './notation.js';
import { type ApplicationMention, readFields } from './read-records.js';

const APPLICATIONS = COLLECTIONS.get('applications') as RecordsNotation;

/**
 * Declares each application once. Files may share an application: one of them says its own fields. An application
 * that another stack declares is not declared again by adding to it.
 */
export function declareApplications(
  mentions: readonly ApplicationMention[],
  external: ReadonlyMap<Address, unknown>,
  declarations: Declarations,
  changes?: Changes,
): void {
  const byName = new Map<string, ApplicationMention[]>();
  for (const mention of mentions) {
    append(byName, mention.name, mention);
  }
  for (const [name, same] of byName) {
    const of = address('application', path(name));
    const [main, ...others] = [...same].sort((left, right) => right.fields.length - left.fields.length);
    if (main === undefined) continue;
    if (external.has(of)) {
      for (const { document, fields } of same) {
        const [field] = fields;
        const about = { label: of, address: of };
        if (field)
          document.fault(field.keyNode, about, `is external, so "${field.key}" is not this tree's to say: remove it.`);
      }
      continue;
    }
    const { document, entry } = main;
    const position = { notation: APPLICATIONS, key: name, body: main.fields };
    const fields = changes?.applied(position, document, entry.keyNode).body ?? main.fields;
    const input: Record<string, Json> = { name };
    const about = { label: of, address: of };
    const origin = { document, node: entry.keyNode, parts: fields, input };
    declarations.declare('application', origin, about, readFields({ kind: 'application' }, origin, about));
    for (const other of others) {
      if (other.fields.length === 0) continue;
      const text = `is declared twice, first at ${originText(origin)}: say its own fields in one place.`;
      other.document.fault(other.entry.keyNode, about, text);
    }
  }
}
