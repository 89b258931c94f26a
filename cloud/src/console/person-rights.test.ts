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
/** A tenant whose records let everybody view and edit. */
const tenants = {
  get: async () => ({
    state: { inbound: () => [] },
    engine: { decide: () => ({ decision: true }) },
    inTurn: <T>(work: () => T) => work(),
  }),
} as unknown as Tenants;
const limits = { stacks: ['team'] };

it.each([
  { clients: [], scopes: 3, limited: false },
  { clients: [client('a', limits)], scopes: 4, limited: true },
  { clients: [client('a', limits), client('b')], scopes: 0, limited: false },
])('gives $scopes scopes by $clients.length clients that name the person', async ({ clients, scopes, limited }) => {
  const credentials = new CredentialIndex(clients);
  const source = { tenants, credentials, oidc: { issuer, groups: new Map() } };
  const rights = await personRights(source, { tenant: 't', holder, now: 0 });
  expect(rights?.grants.size).toBe(scopes);
  expect(rights?.limits).toEqual(limited ? limits : undefined);
});
