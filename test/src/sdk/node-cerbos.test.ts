import { type ClientOptions, ServiceClient } from '@authz-service/sdk/client';
import type { Outcome } from '@authz-service/sdk/decision';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALICE, BOB, CerbosProcess, INVOICE, READ, WRITE } from './cerbos-process.js';
import { peer } from './peer.js';

const [alice, bob, read, write, resource] = [ALICE, BOB, READ, WRITE, INVOICE];

const cerbos = peer('cerbos', 'the Node SDK against Cerbos');

/** Another vendor's decision point, which knows decisions and batches of AuthZEN, but no searches. */
describe.runIf(cerbos)('the Node SDK asks Cerbos', () => {
  let process: CerbosProcess;
  beforeAll(async () => {
    process = await CerbosProcess.start(cerbos as string);
  });
  afterAll(() => process?.stop());

  const client = (options: Partial<ClientOptions> = {}) => new ServiceClient({ url: process.url, ...options });
  const said = (outcomes: Outcome[]) => outcomes.map((one) => (one.ok ? one.decision.allowed : one.error.code));

  it.each([{}, { discover: true }])('decisions, with %j', async (options) => {
    expect(await client(options).decide({ subject: alice, action: read, resource })).toMatchObject({ allowed: true });
    expect(await client(options).decide({ subject: bob, action: read, resource })).toMatchObject({ allowed: false });
  });

  it('batches, and what ends them early', async () => {
    const evaluations = [{ action: read }, { action: write }, { action: read }];
    const ask = (evaluations_semantic?: 'deny_on_first_deny' | 'permit_on_first_permit') =>
      client().decideAll({
        subject: alice,
        resource,
        context: { channel: 'web' },
        evaluations,
        ...(evaluations_semantic && { options: { evaluations_semantic } }),
      });
    expect(said(await ask())).toEqual([true, false, true]);
    expect(said(await ask('deny_on_first_deny'))).toEqual([true, false, 'not_evaluated']);
    expect(said(await ask('permit_on_first_permit'))).toEqual([true, 'not_evaluated', 'not_evaluated']);
  });

  it('no batch without a context: the error has the words of Cerbos', async () => {
    const asked = client().decideAll({ subject: alice, resource, evaluations: [{ action: read }, { action: write }] });
    await expect(asked).rejects.toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining('the default context must be set'),
    });
  });

  it('calls of one turn, which it refuses as a batch with an option of ours, one by one from then on', async () => {
    const asked: string[] = [];
    const counting: typeof fetch = (input, init) => {
      asked.push(new URL(String(input)).pathname.split('/').at(-1) as string);
      return fetch(input, init);
    };
    const asking = client({ batching: true, fetch: counting });
    for (let turn = 0; turn < 2; turn += 1) {
      const decisions = await Promise.all(
        [alice, bob, alice].map((subject) => asking.decide({ subject, action: read, resource })),
      );
      expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false, true]);
    }
    expect(asked).toEqual(['evaluations', ...Array(6).fill('evaluation')]);
  });

  it.each([{}, { discover: true }])('no searches: an error that says so, with %j', async (options) => {
    const found = client(options).searchResources({ subject: alice, action: read, resource: { type: 'invoice' } });
    await expect(found.next()).rejects.toMatchObject({
      name: 'ServiceError',
      code: 'discover' in options ? 'method_not_allowed' : 'not_found',
    });
  });

  it('nothing that is malformed: the error has the words of Cerbos', async () => {
    const question = { subject: { ...alice, id: '' }, action: read, resource };
    await expect(client().decide(question)).rejects.toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining('subject.id'),
    });
  });
});
