/** `gained`: some more requests are allowed, none fewer; `lost` the reverse; `mixed` both; `unknown` cannot be said. */
export const PAIR_CHANGES = ['gained', 'lost', 'mixed', 'unknown'] as const;
export type PairChange = (typeof PAIR_CHANGES)[number];

/** How the requests of a triple are answered: all allowed, none, or some (docs/semantics.md 10.5). */
export type PairAnswer = 'allow' | 'deny' | 'depends';
