import { jsonPointer } from '../json/json-pointer.js';
import { address } from './address.js';
import type { Reference } from './definition.js';
import { orNone, reference, stringSet } from './fields.js';

/** The applications whose teams may use a record in what they write: cover it, grant it, include it. */
export const sharedWith = orNone(
  stringSet(reference('application', 'The path of the application: `shipping`.')).max(1000),
).meta({
  description:
    'Applications that this record is shared with: credentials limited to them may use it in what they write. Decisions ignore it.',
});

/** Whom to share with is the owner's to say, so that any application may stand here. */
export function referencesOfSharing(applications: readonly string[] | undefined): Reference[] {
  return (applications ?? []).map((application, index) => ({
    pointer: jsonPointer('shared_with', index),
    target: address('application', application),
    free: true,
  }));
}
