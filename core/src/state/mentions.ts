import { type Address, splitAddress } from '../records/address.js';
import { KINDS, type Kind } from '../records/kinds.js';
import type { DeclaredRecord } from '../records/registry.js';
import { countOf, titleOf } from './kind-words.js';

const NAMED_MAX = 3;

/** Why a record cannot be deleted while these records mention it, and what to do. */
export function stillMentioned(record: DeclaredRecord, mentions: readonly DeclaredRecord[]): string {
  const holders = record.kind === 'role' && mentions.every(({ kind }) => kind === 'role_assignment');
  const start = `${titleOf(record.kind)} "${splitAddress(record.address).path}" is still`;
  if (holders) {
    const entities = mentions.map(entityOf);
    return `${start} assigned to ${counted(entities)} (${named(entities)}): remove those assignments first.`;
  }
  const addresses = mentions.map(({ address }) => address);
  return `${start} used by ${counted(addresses)} (${named(addresses)}): remove or change those first.`;
}

function entityOf(mention: DeclaredRecord): Address {
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

function named(addresses: readonly Address[]): string {
  const shown = [...addresses].sort().slice(0, NAMED_MAX).join(', ');
  const more = addresses.length - NAMED_MAX;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
