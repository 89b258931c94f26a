import { text } from '../text/english.js';
import { Badge } from './badge.js';

/** The stack that owns a record. */
export function Owner({ name }: { name: string }) {
  return name === 'api' ? <span title={text.records.ownerOfApi}>api</span> : <Badge>{name}</Badge>;
}
