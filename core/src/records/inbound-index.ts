import { remembered } from '../collections/remembered.js';
import type { Address } from './address.js';
import { EVERYONE } from './everyone.js';
import type { Kind } from './kinds.js';
import { type DeclaredRecord, referencesOf } from './registry.js';

/** The beginning of a mentioned address: a kind, or `everyone`. */
export type MentionedKind = Kind | typeof EVERYONE;

/** Most records are mentioned by few: a single mention is kept bare, without a set around it. */
type Sources = Map<Address, Address | Set<Address>>;

const NONE: readonly Address[] = [];

/**
 * Who mentions whom, by the kind of the one and of the other, so that what one kind says of a record is read without what
 * others say. Links of everyone count as mentions of `everyone/*` or `everyone/TYPE`.
 */
export class InboundIndex {
  readonly #sources = new Map<MentionedKind, Map<Kind, Sources>>();

  add({ kind, address, fields }: DeclaredRecord): void {
    for (const target of targetsOf(kind, fields)) {
      const sources = remembered(
        remembered(this.#sources, kindOf(target), () => new Map<Kind, Sources>()),
        kind,
        () => new Map() as Sources,
      );
      const present = sources.get(target);
      if (present === undefined) sources.set(target, address);
      else if (present instanceof Set) present.add(address);
      else if (present !== address) sources.set(target, new Set([present, address]));
    }
  }

  remove({ kind, address, fields }: DeclaredRecord): void {
    for (const target of targetsOf(kind, fields)) {
      const sources = this.#sources.get(kindOf(target))?.get(kind);
      const present = sources?.get(target);
      if (present === address) sources?.delete(target);
      else if (present instanceof Set) {
        present.delete(address);
        if (present.size === 0) sources?.delete(target);
      }
    }
  }

  /** The addresses of the records, or of those of one kind, that mention this one. */
  of(address: Address, kind?: Kind): Iterable<Address> {
    const byKind = this.#sources.get(kindOf(address));
    if (byKind === undefined) return NONE;
    return kind === undefined ? ofAll(byKind.values(), address) : listed(byKind.get(kind)?.get(address));
  }

  /** The addresses of one kind that records of another mention. */
  mentionedBy(kind: Kind, mentioned: MentionedKind): Iterable<Address> {
    return this.#sources.get(mentioned)?.get(kind)?.keys() ?? NONE;
  }
}

function* ofAll(kinds: Iterable<Sources>, address: Address): Generator<Address> {
  for (const sources of kinds) yield* listed(sources.get(address));
}

function listed(sources: Address | Set<Address> | undefined): Iterable<Address> {
  if (sources === undefined) return NONE;
  return sources instanceof Set ? sources : [sources];
}

function* targetsOf(kind: Kind, fields: DeclaredRecord['fields']): Generator<Address> {
  for (const { target } of referencesOf(kind, fields)) yield target;
  const { entity_type, entity } = fields as { entity_type?: string; entity?: string };
  if (entity_type === EVERYONE) yield `${EVERYONE}/${entity}`;
}

function kindOf(address: Address): MentionedKind {
  return address.slice(0, address.indexOf('/')) as MentionedKind;
}
