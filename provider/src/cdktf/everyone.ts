import { encodeSegment } from '@authz-service/core/records/address';
import { EVERY_TYPE, EVERYONE } from '@authz-service/core/records/everyone';
import type { Entity } from './entity.js';

/** Every subject, with or without a record, or every subject of a type: what roles and policies can be assigned to. */
export function everyone(type?: string): Entity<'everyone'> {
  const path = type === undefined ? EVERY_TYPE : encodeSegment(type);
  return { entityType: EVERYONE, path, node: { path } };
}
