import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import type { AgentReport } from '@authz-service/pdp/contract/agent-report';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CredentialIndex } from '../auth/credential-index.js';
import { createTenant } from '../commands/create-tenant.js';
import { OutageLog } from '../outages/outage-log.js';
import { openSqliteStore } from '../store/sqlite.js';
import type { Store } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';
import { Tenants } from '../tenants/tenants.js';
import { Fleet } from './fleet.js';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const MINUTE = 60_000;

let dir: string;
let store: Store;
let tenants: Tenant[];
let fleets: Fleet[];
/** By the clock of the first fleet; that of the second is behind it by `behind`. */
let now: number;
/** Delays that the fleets have measured, in seconds. */
let enforced: number[];
let behind: number;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'authz-fleet-'));
  store = await openSqliteStore(dir);
  [now, behind] = [NOW, 0];
  enforced = [];
  const all = await Tenants.open(store, { slicing: new TimeSlicing(() => performance.now()) });
  const cloud = { store, tenants: all, credentials: new CredentialIndex([], new Map()) };
  tenants = [];
  for (const name of ['one', 'two']) {
    const by = { kind: 'bootstrap', id: 'test', name: 'test' } as const;
    const { tenant } = await createTenant(cloud, { name, by, requestId: name, now });
    tenants.push(await all.get(tenant.id));
  }
  fleets = [];
  fleetOf();
  fleetOf();
});
afterEach(async () => {
  for (const fleet of fleets) await fleet.close();
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

function fleetOf(perTenant = 10): Fleet {
  const offset = () => (fleets.indexOf(fleet) === 1 ? behind : 0);
  const outages = new OutageLog(pino({ level: 'silent' }));
  const metrics = { enforced: { observe: (seconds: number) => enforced.push(seconds) } } as never;
  const fleet: Fleet = new Fleet(store, metrics, outages, () => now - offset(), { perTenant, total: 100 });
  fleets.push(fleet);
  return fleet;
}

async function polls(fleet: Fleet | undefined, report: AgentReport, of = tenants.slice(0, 1), credential = 'key') {
  await fleet?.heard(report, of, { tenant: of[0]?.id ?? '', id: credential, name: credential });
  await fleet?.written();
}

const listOf = async (tenant = tenants[0]) => await store.agents(tenant?.id ?? '', { revision: 1, now, limit: 10 });
const serving = () => ({ id: 'a', revision: tenants[0]?.revision ?? '' });

it('writes at the next poll what the database had from a clock that is a little ahead', async () => {
  behind = 1000;
  await polls(fleets[0], { id: 'a' });
  now += 500;
  await polls(fleets[1], serving());
  expect(await listOf()).toMatchObject({ total: 1, enforcing: 0 });
  now += 5000;
  await polls(fleets[1], serving());
  expect(await listOf()).toMatchObject({ total: 1, enforcing: 1 });
});

it('believes an agent that comes back with less although the clock was set back', async () => {
  await polls(fleets[0], serving());
  now -= 10 * MINUTE;
  await polls(fleets[0], { id: 'a' });
  expect(await listOf()).toMatchObject({ total: 1, enforcing: 0 });
  now += MINUTE / 2;
  await polls(fleetOf(), serving());
  expect(await listOf()).toMatchObject({ total: 1, enforcing: 1, rows: [{ seenAt: now }] });
});

it('notes when an agent was left out of a full list, and lists it at its next poll once there is room', async () => {
  const fleet = fleetOf(1);
  await polls(fleet, { id: 'a' });
  expect((await listOf()).unlistedAt).toBeUndefined();
  await polls(fleet, { id: 'b' });
  expect(await listOf()).toMatchObject({ total: 1, unlistedAt: now });
  const by = { at: new Date(now).toISOString(), request_id: 'r', credential: { kind: 'api_key', id: 'k', name: 'k' } };
  const { id = '', name = '', createdAt = '' } = tenants[0] ?? {};
  await store.retireAgents({ id, name, created_at: createdAt }, { agent: 'a' }, by as never);
  now += 1000;
  await polls(fleet, { id: 'b' });
  expect(await listOf()).toMatchObject({ total: 1, unlistedAt: now - 1000, rows: [{ report: { id: 'b' } }] });
});

it('notes once a minute that somebody asks who does not say who it is', async () => {
  await fleets[0]?.unlisted(tenants);
  const first = now;
  now += MINUTE / 2;
  await fleets[0]?.unlisted(tenants);
  expect(await listOf(tenants[1])).toMatchObject({ total: 0, unlistedAt: first });
  now += MINUTE;
  await fleets[0]?.unlisted(tenants.slice(1));
  expect((await listOf(tenants[1])).unlistedAt).toBe(now);
  expect((await listOf()).unlistedAt).toBe(first);
});

it("lists an operator's new agent where it says that it will serve, by name or id, and else notes it everywhere", async () => {
  await polls(fleets[0], { id: 'a', tenant: 'two' }, tenants);
  expect(await listOf(tenants[1])).toMatchObject({ total: 1, enforcing: 0 });
  expect((await listOf()).unlistedAt).toBeUndefined();
  await polls(fleets[0], { id: 'b' }, tenants);
  for (const tenant of tenants) expect((await listOf(tenant)).unlistedAt).toBe(now);
});

describe('the time from a commit until an agent enforces it', () => {
  /** The tenant after one more commit. */
  const later = (): Tenant[] => {
    const { id, name } = tenants[0] ?? {};
    return [{ id, name, revision: '2.0123456789abcdef', committedAt: now } as Tenant];
  };
  const SERVING_LATER = { id: 'a', revision: '2.0123456789abcdef' };

  it('is measured once, whichever processes the agent asks', async () => {
    await polls(fleets[0], serving());
    await polls(fleets[1], serving());
    const after = later();
    now += 400;
    await polls(fleets[0], SERVING_LATER, after);
    now += MINUTE;
    for (const fleet of [...fleets, fleetOf()]) await polls(fleet, SERVING_LATER, after);
    expect(enforced).toEqual([0.4]);
  });

  it('is measured by a process that has not heard of the agent before', async () => {
    await polls(fleets[0], serving());
    const after = later();
    now += 400;
    await polls(fleets[1], SERVING_LATER, after);
    expect(enforced).toEqual([0.4]);
  });

  it('is not that since the last commit before an agent was there', async () => {
    const after = later();
    now += 60 * MINUTE;
    await polls(fleets[0], { id: 'a' }, after);
    await polls(fleets[0], SERVING_LATER, after);
    await polls(fleets[0], { ...SERVING_LATER, id: 'b' }, after);
    expect(enforced).toEqual([]);
  });
});
