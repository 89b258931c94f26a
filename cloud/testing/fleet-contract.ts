import { describe, expect, it } from 'vitest';
import type { AgentRow } from '../src/store/agent-store.js';
import type { Store } from '../src/store/store.js';

const NOW = Date.parse('2026-05-01T12:00:00.000Z');
const BOUNDS = { perTenant: 10, total: 10 };
const by = {
  at: new Date(NOW).toISOString(),
  request_id: 'restore',
  credential: { kind: 'bootstrap', id: 'restore', name: 'restore' },
} as const;

/** The contract of every store for agents and for a database that was set back, in a store that has the tenant `t-1`. */
export function fleetContract(store: () => Store): void {
  const row = (enforces: number, seenAt = NOW): AgentRow => ({
    tenant: 't-1',
    credential: { tenant: 't-1', id: 'c-1', name: 'one' },
    report: { id: 'a' },
    ...{ enforces, seenAt, diverged: false, decidesUntil: undefined },
  });

  it('tells one of those who hear an agent at the same time that it enforces more than before', async () => {
    for (let revision = 1; revision <= 5; revision++) {
      const seenAt = NOW + revision;
      const noted = await Promise.all(
        Array.from({ length: 8 }, () => store().noteAgents([row(revision, seenAt)], BOUNDS, seenAt)),
      );
      expect(noted.map(({ advanced }) => advanced.size).filter(Boolean)).toEqual(revision === 1 ? [] : [1]);
    }
  });

  describe('a database that is set back', () => {
    it('stores all that this changes, or nothing', async () => {
      const fault = new Error('the epoch key is another one');
      const work = store().atOnce(async (all) => {
        await all.disableCredentials(by, { operators: true });
        await all.distrustAgents({ now: NOW, marginMs: 1 });
        await all.addEpoch({ number: 7, id: 'e', statement: 's', created_at: by.at });
        expect(await all.epochs()).toHaveLength(1);
        throw fault;
      });
      await expect(work).rejects.toBe(fault);
      expect([await store().setBackAt(), await store().epochs()]).toEqual([undefined, []]);
    });

    it('has a later time than any event before, though its clock is behind', async () => {
      const times: (string | undefined)[] = [];
      for (const at of ['2026-05-01T12:00:00.000Z', '2026-05-01T12:00:00.000Z', '2026-04-01T00:00:00.000Z']) {
        await store().disableCredentials({ ...by, at });
        times.push(await store().setBackAt());
      }
      expect(times).toEqual(['2026-05-01T12:00:00.001Z', '2026-05-01T12:00:00.002Z', '2026-05-01T12:00:00.003Z']);
    });
  });
}
