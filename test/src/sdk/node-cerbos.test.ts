import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClientOptions, ServiceClient } from '@authz-service/sdk/client';
import type { Outcome } from '@authz-service/sdk/decision';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { peer } from './peer.js';

/** Accountants read invoices. */
const POLICY = {
  apiVersion: 'api.cerbos.dev/v1',
  resourcePolicy: {
    resource: 'invoice',
    version: 'default',
    rules: [{ actions: ['read'], effect: 'EFFECT_ALLOW', roles: ['accountant'] }],
  },
};

/** Cerbos keeps no subjects: the question brings the roles. */
const alice = { type: 'user', id: 'alice', properties: { 'cerbos.roles': ['accountant'] } };
const bob = { type: 'user', id: 'bob', properties: { 'cerbos.roles': ['guest'] } };
const read = { name: 'read' };
const write = { name: 'write' };
const resource = { type: 'invoice', id: 'INV-1' };

const cerbos = peer('cerbos', 'the Node SDK against Cerbos');

/** Another vendor's decision point, which knows decisions and batches of AuthZEN, but no searches. */
describe.runIf(cerbos)('the Node SDK asks Cerbos', () => {
  let folder: string;
  let child: ChildProcess;
  let url: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'node-cerbos-'));
    mkdirSync(join(folder, 'policies'));
    writeFileSync(join(folder, 'policies/invoice.json'), JSON.stringify(POLICY));
    const [http, grpc] = [await freePort(), await freePort()];
    const config = {
      server: { httpListenAddr: `127.0.0.1:${http}`, grpcListenAddr: `127.0.0.1:${grpc}` },
      storage: { driver: 'disk', disk: { directory: join(folder, 'policies') } },
      telemetry: { disabled: true },
    };
    writeFileSync(join(folder, 'cerbos.json'), JSON.stringify(config));
    child = spawn(cerbos as string, ['server', '--config', join(folder, 'cerbos.json')], { stdio: 'ignore' });
    url = `http://127.0.0.1:${http}`;
    await vi.waitUntil(
      () =>
        fetch(`${url}/_cerbos/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 60_000 },
    );
  });
  afterAll(async () => {
    if (child?.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const client = (options: Partial<ClientOptions> = {}) => new ServiceClient({ url, ...options });
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

  it('calls of one turn, which it refuses as a batch with an option of ours, one by one', async () => {
    const asking = client({ batching: true });
    const decisions = await Promise.all(
      [alice, bob, alice].map((subject) => asking.decide({ subject, action: read, resource })),
    );
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false, true]);
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

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
