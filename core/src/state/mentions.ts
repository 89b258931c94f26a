import { type Address, splitAddress } from '../records/address.js';
import { EVERYONE } from '../records/everyone.js';
import { KINDS, type Kind } from '../records/kinds.js';
import type { StoredRecord } from '../records/registry.js';
import { countOf, titleOf } from './kind-words.js';

const NAMED_MAX = 3;

/** Further facts about the change-set that help to find the remedy. */
interface Removal {
  /** Who removes: mentions of other owners are named with them. */
  stack: string;
  /** Records of the same kind that the change-set makes: the record may only have another name. */
  made: readonly Address[];
}

/** Why a record cannot be deleted while these records mention it, and what to do. */
export function stillMentioned(
  record: StoredRecord,
  mentions: readonly StoredRecord[],
  { stack, made }: Removal,
): string {
  const holders =
    record.kind === 'role' &&
    mentions.every(({ kind, fields }) => kind === 'role_assignment' && fields.entity_type !== EVERYONE);
  const start = `${titleOf(record.kind)} "${splitAddress(record.address).path}" is still`;
  const named = holders ? mentions.map(entityOf) : mentions.map(({ address }) => address);
  const owners = [...new Set(mentions.map(({ managed_by }) => managed_by))].filter((owner) => owner !== stack).sort();
  const of = owners.length === 0 ? '' : `, declared by ${owners.map((owner) => `"${owner}"`).join(', ')}`;
  const what = `${holders ? 'assigned to' : 'used by'} ${counted(named)} (${listed(named)}${of})`;
  const remedy = `${holders ? 'remove those assignments' : 'remove or change those'} first.`;
  return `${start} ${what}: ${remedy}${renameOf(record, made)}`;
}

/** How to say that it is a rename, where the change-set may be one. */
function renameOf({ address, kind }: StoredRecord, made: readonly Address[]): string {
  const [to] = made;
  if (to === undefined) return '';
  const name = made.length === 1 ? to : `NEW_${kind.toUpperCase()}`;
  return ` If you have renamed it, declare that, and they follow: "moved: [{ from: ${address}, to: ${name} }]".`;
}

function entityOf(mention: StoredRecord): Address {
  const { entity_type: kind, entity } = mention.fields as { entity_type: Kind; entity: string };
  return `${kind}/${entity}`;
}

/** `2 subjects and 1 group`. */
function counted(addresses: readonly Address[]): string {
  const counts = new Map<Kind, number>();
  for (const address of addresses) {
    const { kind } = splitAddress(address);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const words = KINDS.flatMap((kind) => {
    const count = counts.get(kind);
    return count === undefined ? [] : [countOf(count, kind)];
  });
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function listed(addresses: readonly Address[]): string {
  const shown = [...addresses].sort().slice(0, NAMED_MAX).join(', ');
  const more = addresses.length - NAMED_MAX;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
