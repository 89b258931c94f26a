import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OutageLog } from '../outages/outage-log.js';
import type { CredentialUse } from '../store/credential-uses.js';
import type { Credential } from './credential.js';
import { CredentialUses } from './credential-uses.js';

const NOW = Date.parse('2026-05-01T12:00:00.000Z');
const KEY = { kind: 'api_key', tenant: 'acme', id: 'k' } as const;

let written: CredentialUse[][];
let isBroken: boolean;
let uses: CredentialUses;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  written = [];
  isBroken = false;
  const store = {
    noteCredentialUses: async (noted: readonly CredentialUse[]) => {
      if (isBroken) throw new Error('the disk is full');
      written.push([...noted]);
    },
    credentialUses: async () => {
      if (isBroken) throw new Error('the database is away');
      return new Map([['k', NOW - 1000]]);
    },
  };
  const ofPerson = (tenant: string, person: string) =>
    tenant === 'acme' && person === 'alice' ? [{ id: 'client-of-alice' } as never] : [];
  uses = new CredentialUses(store, { ofPerson }, new OutageLog(pino({ level: 'silent' })), Date.now);
});
afterEach(() => void vi.useRealTimers());

const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const note = (...credentials: Pick<Credential, 'kind' | 'tenant' | 'id'>[]) => {
  for (const one of credentials) uses.note(one);
};

it('writes the uses of many requests together, and of each credential once a minute', async () => {
  note(KEY, KEY, { ...KEY, id: 'other' });
  await after(5000);
  expect(written).toEqual([
    [
      { tenant: 'acme', id: 'k', usedAt: NOW },
      { tenant: 'acme', id: 'other', usedAt: NOW },
    ],
  ]);
  note(KEY);
  await after(50_000);
  expect(written.length).toBe(1);
  await after(10_000);
  note(KEY);
  await after(5000);
  expect(written[1]).toEqual([{ tenant: 'acme', id: 'k', usedAt: NOW + 65_000 }]);
});

it('tells a use that is not written yet', async () => {
  const told = () => uses.lastUsed('acme', ['k', 'unused']);
  expect(await told()).toEqual(new Map([['k', NOW - 1000]]));
  note(KEY);
  expect(await told()).toEqual(new Map([['k', NOW]]));
  expect(await uses.lastUsed('globex', ['k'])).toEqual(new Map([['k', NOW - 1000]]));
});

it('takes what a person does for a use of the client that names them, in the tenant where they act', async () => {
  note({ kind: 'person', tenant: 'globex', id: 'alice' }, { kind: 'person', tenant: 'acme', id: 'alice' });
  await after(5000);
  expect(written).toEqual([[{ tenant: 'acme', id: 'client-of-alice', usedAt: NOW }]]);
});

it('tries again what could not be written, and writes the rest when the cloud stops', async () => {
  isBroken = true;
  note(KEY);
  await after(5000);
  expect(written).toEqual([]);
  isBroken = false;
  await after(60_000);
  expect(written.length).toBe(1);
  note({ ...KEY, id: 'late' });
  await uses.close();
  expect(written[1]).toEqual([{ tenant: 'acme', id: 'late', usedAt: NOW + 65_000 }]);
});

it('leaves out when credentials were used as long as that cannot be read', async () => {
  isBroken = true;
  expect(await uses.lastUsed('acme', ['k'])).toEqual(new Map());
  note(KEY);
  expect(await uses.lastUsed('acme', ['k'])).toEqual(new Map([['k', NOW]]));
});

it('writes all uses when the cloud stops, however many there are', async () => {
  for (let id = 0; id < 1200; id++) note({ ...KEY, id: String(id) });
  await uses.close();
  expect(written.map(({ length }) => length)).toEqual([500, 500, 200]);
});
