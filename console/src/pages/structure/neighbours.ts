import type { Address, Kind } from '@authz-service/sdk/wire';
import type { FoundRecord } from '../../api/answers.js';
import { client } from '../../api/client.js';
import { kindOf } from '../../ui/address-parts.js';
import type { Edge, Neighbourhood, Relation } from './edge.js';

/** How many mentions of each kind are read. */
const READ_MAX = 50;

/** The kinds that the picture shows, and which records that mention them make links. */
const MENTIONS: { readonly [K in Kind]?: readonly Kind[] } = {
  subject: ['group_membership', 'role_assignment', 'policy_assignment'],
  group: ['group_membership', 'role_assignment', 'policy_assignment'],
  role: ['role_assignment', 'role', 'policy_assignment'],
  policy: ['policy_assignment'],
  resource: ['resource', 'policy', 'role_assignment'],
  resource_type: ['policy'],
};

const RELATION_OF_FIELD: Readonly<Record<string, Relation>> = {
  includes: 'includes',
  resource_type: 'covers',
  resource_types: 'covers',
  resources: 'covers',
  parents: 'parent',
  type: 'type',
};

export function hasStructure(kind: Kind): boolean {
  return MENTIONS[kind] !== undefined;
}

export async function readNeighbourhood(center: Address, signal: AbortSignal): Promise<Neighbourhood> {
  const kinds = MENTIONS[kindOf(center)] ?? [];
  const pages = await Promise.all(
    kinds.map((kind) => client.links({ address: center, kind, limit: READ_MAX }, signal)),
  );
  const edges = (pages[0]?.references ?? []).flatMap(({ pointer, address }): Edge[] => {
    const relation = RELATION_OF_FIELD[pointer.split('/')[1] ?? ''];
    return relation === undefined ? [] : [{ from: center, to: address, relation }];
  });
  edges.push(...pages.flatMap(({ items }) => items.flatMap((record) => edgesOf(record, center))));
  const unread = kinds.filter((_, index) => pages[index]?.next_cursor !== undefined);
  return { center, edges, unread: new Set(unread) };
}

/** The links that a record which mentions the center makes to it. */
function edgesOf(record: FoundRecord, center: Address): Edge[] {
  const by = record.address;
  const entity = `${String(record.entity_type)}/${String(record.entity)}`;
  switch (record.kind) {
    case 'group_membership':
      return [{ from: entity, to: `group/${String(record.group)}`, relation: 'member', by }];
    case 'policy_assignment':
      return [{ from: entity, to: `policy/${String(record.policy)}`, relation: 'assigned', by }];
    case 'role_assignment': {
      const role = `role/${String(record.role)}`;
      const held: Edge = { from: entity, to: role, relation: 'holds', by };
      if (record.resource === undefined) return [held];
      const place = String(record.resource);
      const edges: Edge[] = [{ ...held, place }];
      if (center === `resource/${place}`) edges.push({ from: role, to: center, relation: 'place', by });
      return edges;
    }
    case 'role':
      return [{ from: by, to: center, relation: 'includes' }];
    case 'resource':
      // A resource is mentioned by those that lie in it; that it has a type makes no picture of a type.
      return [{ from: by, to: center, relation: 'parent' }];
    case 'policy':
      return covers(record, center) ? [{ from: by, to: center, relation: 'covers' }] : [];
    default:
      return [];
  }
}

/** Whether the policy is about the center, and does not only name it in its condition. */
function covers(policy: FoundRecord, center: Address): boolean {
  const { resource_type, resource_types, resources } = policy as {
    resource_type?: string;
    resource_types?: string[];
    resources?: { resource: string }[];
  };
  const targets = [
    ...[resource_type, ...(resource_types ?? [])].map((type) => `resource_type/${type}`),
    ...(resources ?? []).map(({ resource }) => `resource/${resource}`),
  ];
  return targets.includes(center);
}
