import { declare, type StoredRecord } from '@authz-service/core/records/registry';
import { expect, it } from 'vitest';
import { CredentialIndex } from '../auth/credential-index.js';
import type { CredentialRow } from '../store/store.js';
import type { Tenants } from '../tenants/tenants.js';
import { personRights } from './person-rights.js';

const issuer = 'https://id.example.com';
const holder = {
  kind: 'person' as const,
  id: `${issuer}#alice`,
  name: 'Alice',
  issuer,
  subject: { type: 'user', id: 'alice' },
  providerGroups: [],
};
const client = (id: string, limits?: object) =>
  ({
    tenant: 't',
    kind: 'oauth_client',
    id,
    fields: { name: id, scopes: ['credentials'], person: { issuer, subject: 'alice' }, ...(limits && { limits }) },
    hash: id,
    operator: false,
  }) as CredentialRow;
/** A tenant whose records let everybody view and edit, or nobody. */
const tenants = (record?: StoredRecord, decision = true) =>
  ({
    get: async () => ({
      state: { inbound: () => [], get: (address: string) => (address === record?.address ? record : undefined) },
      engine: { decide: () => ({ decision }) },
      inTurn: <T>(work: () => T) => work(),
    }),
  }) as unknown as Tenants;
const limits = { stacks: ['team'] };

it.each([
  { clients: [], scopes: 3, limited: false },
  { clients: [client('a', limits)], scopes: 4, limited: true },
  { clients: [client('a', limits), client('b')], scopes: 0, limited: false },
])('gives $scopes scopes by $clients.length clients that name the person', async ({ clients, scopes, limited }) => {
  const credentials = new CredentialIndex(clients);
  const source = { tenants: tenants(), credentials, oidc: { issuer, groups: new Map() } };
  const rights = await personRights(source, { tenant: 't', holder, now: 0 });
  expect(rights?.grants.size).toBe(scopes);
  expect(rights?.limits).toEqual(limited ? limits : undefined);
});

it.each([
  [{ suspended: true }, 0],
  [{ suspended_until: '1970-01-01T00:00:01.000Z' }, 0],
  [{ suspended_until: '1970-01-01T00:00:00.000Z' }, 1],
  [{}, 1],
])('lets who is suspended do nothing, whatever a client says: %j', async (suspension, scopes) => {
  const record = declare('subject', { type: 'user', id: 'alice', ...suspension });
  const source = {
    tenants: tenants(record as StoredRecord, false),
    credentials: new CredentialIndex([client('a')]),
    oidc: { issuer, groups: new Map() },
  };
  expect((await personRights(source, { tenant: 't', holder, now: 0 }))?.grants.size).toBe(scopes);
});
