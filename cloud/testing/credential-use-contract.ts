import { expect, it } from 'vitest';
import type { Store } from '../src/store/store.js';
import type { ExpectedTenant } from './store-contract.js';

const AT = Date.parse('2026-05-01T12:00:00.000Z');

/** The contract of every store for the uses of credentials, in a store that has the tenant `t-1`. */
export function credentialUseContract(
  store: () => Store,
  tenant: () => Pick<ExpectedTenant, 'next'>,
  reopen: () => Promise<void>,
): void {
  it('keeps when credentials were last used, as long as they are there', async () => {
    const next = await tenant().next([
      { op: 'create', kind: 'api_key', fields: { name: 'k', scopes: ['bundle'] } },
      { op: 'create', kind: 'oauth_client', fields: { name: 'c', scopes: ['decisions'] } },
    ]);
    await store().commit(next);
    const [key = '', client = ''] = next.put.map(({ record }) => record.id);
    const note = (id: string, usedAt: number, of = 't-1') =>
      store().noteCredentialUses([{ tenant: of, id, usedAt }], AT + 120_000);
    const uses = async () => [...(await store().credentialUses('t-1', [key, client, 'nobody']))];
    expect(await uses()).toEqual([]);

    await store().noteCredentialUses(
      [key, client, 'nobody'].map((id) => ({ tenant: 't-1', id, usedAt: AT })),
      AT,
    );
    await reopen();
    expect((await uses()).sort()).toEqual([key, client].sort().map((id) => [id, AT]));
    expect(await store().credentialUses('t-2', [key])).toEqual(new Map());

    await note(key, AT + 60_000);
    // Another process writes late, and one of another tenant has no such credential.
    await note(key, AT + 30_000);
    await note(client, AT + 90_000, 't-2');
    expect(new Map(await uses())).toEqual(
      new Map([
        [key, AT + 60_000],
        [client, AT],
      ]),
    );

    // A clock was a day ahead, and was set right.
    await note(key, AT + 86_400_000);
    await note(key, AT + 120_000);
    expect((await store().credentialUses('t-1', [key])).get(key)).toBe(AT + 120_000);

    await store().commit(await tenant().next([{ op: 'delete', address: 'api_key/k' }]));
    expect(await uses()).toEqual([[client, AT]]);
  });
}
