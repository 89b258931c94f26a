import type { Address, Kind } from '@authz-service/sdk/wire';
import type { structure } from '../../text/structure.js';

export type Relation = keyof typeof structure.relations;

/** A link between two records, in the direction in which access flows: from who to on what. */
export interface Edge {
  from: Address;
  to: Address;
  relation: Relation;
  /** The record that makes the link; undefined where one of its ends does. */
  by?: Address;
  /** The resource on which a role is held; undefined means everywhere. */
  place?: string;
}

/** The links of one record. */
export interface Neighbourhood {
  center: Address;
  edges: Edge[];
  /** The kinds of mentions of which there are more than were read. */
  unread: ReadonlySet<Kind>;
}
