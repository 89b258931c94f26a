import type { Address } from '../../records/address.js';
import type { MentionedKind } from '../../records/inbound-index.js';
import type { Kind } from '../../records/kinds.js';
import type { DeclaredRecord } from '../../records/registry.js';

/** The records of one state, as rules are judged on them: a tenant, or one with a change-set laid over it. */
export interface AccessView {
  /** A stored record has its id; one of a tree has none. */
  get(address: Address): (DeclaredRecord & { readonly id?: string }) | undefined;
  /** The addresses of the records of a kind that mention this one, or everyone. */
  inbound(address: Address, kind: Kind): Iterable<Address>;
  /** At least the addresses of one kind, or of everyone, that records of another kind mention. */
  mentionedBy(kind: Kind, mentioned: MentionedKind): Iterable<Address>;
  addresses(kind: Kind): Iterable<Address>;
  /** At least the types of the recorded subjects. */
  subjectTypes(): Iterable<string>;
}

/** The record at an address, if it is of this kind. */
export function recordAt<K extends Kind>(view: AccessView, kind: K, path: string): DeclaredRecord<K> | undefined {
  return view.get(`${kind}/${path}`) as DeclaredRecord<K> | undefined;
}

/** The records of a kind that mention the one at this address. */
export function* mentioning<K extends Kind>(view: AccessView, address: Address, kind: K): Generator<DeclaredRecord<K>> {
  for (const source of view.inbound(address, kind)) {
    const record = view.get(source);
    if (record?.kind === kind) yield record as DeclaredRecord<K>;
  }
}
