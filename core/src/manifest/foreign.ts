import { quote } from '../records/describe.js';
import { nearest } from '../text/nearest.js';
import { ADDRESS_LISTS, COLLECTIONS, LINK_LISTS, SETTINGS } from './notation.js';
import type { Entry } from './yaml-document.js';

/** The keys at the top of a file of a tree. */
export const TOP_KEYS = [SETTINGS, ADDRESS_LISTS]
  .flatMap(Object.keys)
  .concat([...COLLECTIONS.keys()], [...LINK_LISTS.keys()]);

/** Keys that may stand at the top by the names of kinds: a tree consists of these. */
const KIND_KEYS = [...COLLECTIONS.keys(), ...LINK_LISTS.keys()];
/** Keys that files of other programs have at the top, too, such as GitLab's pipelines. */
const SHARED_KEYS = ['variables'];
/** The number of keys that are named of a document that declares nothing here. */
const FOREIGN_KEYS_MAX = 3;

/** Whether a document is of something else: it has several keys, and none is one of a tree or a misspelt kind. */
export function isForeign(entries: readonly Entry[]): boolean {
  const isOurs = ({ key, value }: Entry) =>
    key === 'version'
      ? value.type === 'scalar' && value.source === '1'
      : (TOP_KEYS.includes(key) && !SHARED_KEYS.includes(key)) || nearest(key, KIND_KEYS) !== undefined;
  return entries.length > 1 && !entries.some(isOurs);
}

export function foreignText(entries: readonly Entry[]): string {
  const keys = entries.slice(0, FOREIGN_KEYS_MAX).map(({ key }) => quote(key));
  const more = entries.length > keys.length ? ', …' : '';
  return `This file does not look like records: it has the keys ${keys.join(', ')}${more}. Keep records in a folder of their own, and name that folder.`;
}
