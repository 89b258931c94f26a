import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { OutageLog } from '../outages/outage-log.js';
import type { Store } from '../store/store.js';
import { Metrics } from '../telemetry/metrics.js';
import { FleetCounts } from './fleet-counts.js';

afterEach(() => void vi.useRealTimers());

it('tells nothing of agents while the database does not tell, and not what it told last', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let cutOff = false;
  const silent = new Promise<never>(() => {});
  const store: Pick<Store, 'agentsByLag' | 'stragglers'> = {
    agentsByLag: () => (cutOff ? silent : Promise.resolve([{ lag: 3, count: 2 }])),
    stragglers: async () => 2,
  };
  const counts = new FleetCounts(store, { written: async () => {} }, new OutageLog(pino({ level: 'silent' })), () => 0);
  const metrics = new Metrics({
    tenants: () => 1,
    brokenTenants: () => 0,
    fleet: () => counts.read(),
    writable: async () => true,
    clockBehindSeconds: () => 0,
    replica: () => ({ state: 'current', silentSeconds: 0 }),
    setBack: () => false,
    revocationLogWritable: () => undefined,
  });
  const told = async () => {
    const text = metrics.registry.metrics();
    await vi.advanceTimersByTimeAsync(10_000);
    return (await text).split('\n').filter((line) => line.startsWith('service_cloud_agent'));
  };
  expect(await told()).toEqual(expect.arrayContaining(['service_cloud_agents{lag="2-10"} 2']));
  expect(await told()).toContain('service_cloud_agent_stragglers 2');
  cutOff = true;
  expect(await told()).toEqual([]);
  cutOff = false;
  expect(await told()).toContain('service_cloud_agent_stragglers 2');
});
