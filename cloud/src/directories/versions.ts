import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '@authz-service/core/json/json';
import type { EntryRecord } from '../tenants/entry-index.js';
import type { DirectoryView } from './directory-view.js';

/** The entity tag of a resource, without the mark of weakness. That of a group changes with its members. */
export function versionOf(view: DirectoryView, record: EntryRecord): string {
  const hash = createHash('sha256').update(canonicalJson(record as unknown as Json));
  if (record.kind === 'group') {
    const members = [...view.membersOf(record.address)].map(({ address, id }) => `${address} ${id}`);
    for (const member of members.sort()) hash.update(`\n${member}`);
  }
  return `"${record.revision}.${hash.digest('hex').slice(0, 16)}"`;
}
