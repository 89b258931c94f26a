import type { TimeWindow } from '../../../records/policy.js';
import type { IpRange } from '../../../values/ip-range.js';
import type { Value } from '../../values/value.js';

/** A question of an atom about the value at a site. Every atom also depends on the kind of the value, and on its absence. */
export type Question =
  | { readonly ask: 'kind' }
  | { readonly ask: 'number'; readonly number: number }
  | { readonly ask: 'equals' | 'before' | 'starts' | 'ends' | 'contains' | 'matches'; readonly text: string }
  /** How many characters, items or members it has, compared with this. */
  | { readonly ask: 'size'; readonly size: number }
  /** Whether this is an item of it, or a key. */
  | { readonly ask: 'member'; readonly value: Value }
  /** Whether it equals this list or map. */
  | { readonly ask: 'value'; readonly value: Value }
  | { readonly ask: 'ip'; readonly range: IpRange }
  /** The moment that it is the text or the seconds of, compared with this one. */
  | { readonly ask: 'moment'; readonly ms: number }
  /** The same for the present time. */
  | { readonly ask: 'present'; readonly ms: number }
  | { readonly ask: 'window'; readonly window: TimeWindow }
  /** Whether the moment that it is the text or the seconds of lies in this window. */
  | { readonly ask: 'hours'; readonly window: TimeWindow };
