import { expect, it } from 'vitest';
import { EnforcementWaits } from './enforcement-waits.js';

const waits = () =>
  new EnforcementWaits(
    { agentsBehind: async () => 1, countAgents: async () => 1 },
    { written: async () => {} },
    () => 0,
    { perTenant: 2, total: 3 },
  );

it('says whose requests take the places where there is none left', async () => {
  const all = waits();
  const ends = new AbortController();
  const waiting: Promise<unknown>[] = [];
  const reach = (tenant: string) =>
    all.reach(tenant, { revision: 1, ms: 1e6, signal: ends.signal, goesOn: () => true });
  const wait = (tenant: string) => waiting.push(reach(tenant).catch(() => {}));
  wait('a');
  wait('a');
  await expect(reach('a')).rejects.toThrow(/^2 requests of this tenant already wait/);
  wait('b');
  await expect(reach('b')).rejects.toThrow(/^3 requests of all tenants already wait/);
  ends.abort();
  await Promise.all(waiting);
  await expect(reach('a')).rejects.not.toThrow(/already wait/);
});
