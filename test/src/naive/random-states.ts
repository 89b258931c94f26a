import type { EngineRecord } from '@authz-service/core/access/api/engine';
import type { ImpactOptions, TenantSide } from '@authz-service/core/access/universe/side';
import { computeImpact } from '@authz-service/core/questions/impact/compute-impact';
import { addressOf, declare } from '@authz-service/core/records/registry';
import fc from 'fast-check';
import type { ContextMember } from './contexts.js';
import { sparseTenantReading, tenantReading, tinyTenantReading } from './generate.js';
import { history, remove } from './history.js';

/** Two states, of which the second is made of the first; conditions read only these members of the context. */
export const statesReading = (reads: readonly ContextMember[]) => firstAndLast(tenantReading(reads), 3);

/** The same of tenants with little in them, where what is changed is mostly what counts. */
export const sparseStatesReading = (reads: readonly ContextMember[]) => firstAndLast(sparseTenantReading(reads), 2);

/** The same of tenants of a few records. */
export const tinyStatesReading = (reads: readonly ContextMember[]) => firstAndLast(tinyTenantReading(reads), 2);

const firstAndLast = (tenants: fc.Arbitrary<EngineRecord[]>, steps: number) =>
  history(tenants, steps).map(
    (states) => [[...(states[0]?.values() ?? [])], [...(states.at(-1)?.values() ?? [])]] as const,
  );

/**
 * The same where often one subject or resource comes or goes with all that hangs on it: what is given to it, and on it,
 * is then there in one state alone.
 */
export const withOneSided = (states: fc.Arbitrary<readonly [readonly EngineRecord[], readonly EngineRecord[]]>) =>
  fc
    .tuple(
      states,
      fc.constantFrom('none', 'none', 'comes', 'comes', 'goes'),
      fc.constantFrom('subject', 'resource', 'resource'),
      fc.nat(),
    )
    .map(([[before, after], which, kind, at]) => {
      const without = (records: readonly EngineRecord[]) => {
        const state = new Map(records.map((record) => [addressOf(record.kind, record.fields), record]));
        const all = [...state.keys()].filter((address) => address.startsWith(`${kind}/`));
        remove(state, all[at % Math.max(1, all.length)] ?? '');
        return [...state.values()];
      };
      if (which === 'comes') return [without(before), after] as const;
      return [before, which === 'goes' ? without(after) : after] as const;
    });

/** The time at which the look at two states begins. */
export const starts = fc.constantFrom(0, 999, 1000, 1500, 2000, 3000);

const sideOf = (records: readonly EngineRecord[]): TenantSide => ({
  records: records.map(({ kind, fields }) => declare(kind, fields)),
});

export const impactOf = (before: readonly EngineRecord[], after: readonly EngineRecord[], options: ImpactOptions) =>
  computeImpact(sideOf(before), sideOf(after), options);
