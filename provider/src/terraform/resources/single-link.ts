import type { Kind } from '@authz-service/core/records/kinds';
import { refuse } from '../framework/diagnostics.js';
import type { Values } from '../framework/value.js';
import { type LinkOwner, leave, list } from './claims.js';
import { LinkSet, SETS } from './link-set.js';
import { recordForm, typeName, valuesOf } from './record-form.js';
import { type Service, stored } from './service.js';

/** A link that a resource holds by itself, of a kind that sets hold, too: it can change hands. */
export class SingleLink {
  private readonly owner: LinkOwner;

  private constructor(private readonly set: LinkSet) {
    this.owner = { type: set.single, whole: false };
  }

  /** Undefined for a kind that no set holds. */
  static of(kind: Kind): SingleLink | undefined {
    const words = SETS.find((set) => set.kind === kind);
    return words && new SingleLink(new LinkSet(words));
  }

  /** Notes which link the resource holds after this run, and which one it gives up. */
  planned(service: Service, prior: Values | null, { address }: Values): void {
    if (typeof address === 'string') list(service, this.owner, [address]);
    if (prior !== null && address !== prior.address)
      leave(service, { ...this.owner, stays: 'elsewhere' }, [String(prior.address)]);
  }

  removed(service: Service, { address }: Values): void {
    leave(service, this.owner, [String(address)]);
  }

  /** The state of the only link of a set, which was owned whole; undefined if it comes from another type. */
  moved(from: string, state: Values): Values | undefined {
    const { set } = this;
    if (set.type !== from) return undefined;
    const [only, ...others] = set.records(state);
    if (only === undefined || others.length > 0)
      throw refuse(
        'No such move',
        `${from} holds ${set.records(state).length} links, and a ${typeName(set.words.kind)} is one. Have Terraform forget the set by a removed block with lifecycle { destroy = false }, and import each link.`,
      );
    return valuesOf(recordForm(set.words.kind), stored(only, '', ''));
  }
}
