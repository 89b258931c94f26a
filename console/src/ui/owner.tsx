import { text } from '../text/english.js';
import { Badge } from './badge.js';
import { isDirectory, RecordLink } from './record-link.js';

/** The stack or directory that owns a record. */
export function Owner({ name }: { name: string }) {
  if (isDirectory(name)) return <RecordLink address={name}>{name}</RecordLink>;
  return name === 'api' ? <span title={text.records.ownerOfApi}>api</span> : <Badge>{name}</Badge>;
}
