import { writeFile } from 'node:fs/promises';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { below, billing } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

const APPROVE = 'policy/billing/approve';

let bench: Workbench;
let env: Record<string, string>;

beforeAll(async () => {
  bench = await Workbench.create();
  const cloud = await bench.startCloud();
  env = await cloud.tenant();
  await bench.write(below('tenant', billing()));
  await bench.json(['apply', 'tenant', '--yes'], { env });
  const { secret } = await bench.json<{ secret: string }>(['keys', 'create', 'agent', '--scope', 'bundle'], { env });
  const lines = [...(await logged(secret, 'true')), ...(await logged(secret, 'false')), 'not a line of JSON'];
  await writeFile(bench.path('decisions.log'), lines.join('\n'));
}, 60_000);
afterAll(() => bench.close());

/** The decision log of an agent that is asked three questions. */
async function logged(key: string, inputs: string): Promise<string[]> {
  const agent = bench.spawn(['agent', 'start'], {
    env: {
      ...{
        SERVICE_CLOUD_URL: env.SERVICE_CLOUD_URL ?? '',
        SERVICE_API_KEY: key,
        SERVICE_LISTEN_ADDR: '127.0.0.1:0',
      },
      ...{
        SERVICE_DECISION_LOG: 'true',
        SERVICE_DECISION_LOG_INPUTS: inputs,
        SERVICE_DECISION_LOG_MASK: 'context.mfa,context.ip',
      },
    },
  });
  const lines: string[] = [];
  let rest = '';
  agent.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  const url = await new Promise<string>((resolve) => {
    let log = '';
    agent.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      const [, found] = /"url":"([^"]+)".*agent is listening/.exec(log) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 20_000);
  const client = new ServiceClient({ url, decisionTimeoutMs: 20_000, attemptTimeoutMs: 20_000 });
  const ask = (id: string, action: string, context = {}) =>
    client.decide({
      subject: { type: 'user', id },
      action: { name: action },
      resource: { type: 'invoice', id: 'INV-1' },
      context,
    });
  await ask('alice', 'read', { ip: '10.0.0.1' });
  await ask('bob', 'approve');
  await ask('bob', 'approve', { mfa: true });
  agent.kill('SIGTERM');
  await new Promise((resolve) => agent.once('close', resolve));
  return lines;
}

describe('a replay', () => {
  it('finds nothing changed by the tenant as it is', async () => {
    const report = await bench.json(['replay', 'decisions.log', '--exit-code'], { env });
    expect(report).toMatchObject({
      ...{ decisions: 6, replayed: 3, changed: 0, other_policy: 0, causes: [] },
      not_replayable: { without_inputs: 3, masked: 0, unreadable: 1 },
    });
  });

  it('says what a tree would change, by the policies that decided, offline', async () => {
    const args = ['replay', 'decisions.log', '--against', 'tenant'];
    expect(await bench.json(args)).toMatchObject({ against: 'tenant', replayed: 3, changed: 0 });
    await bench.write({ 'tenant/people.yaml': 'version: 1\nsubjects:\n  user/alice: {}\n  user/bob: {}\n' });
    const report = await bench.json([...args, '--exit-code'], { code: 2 });
    expect(report).toMatchObject({ replayed: 3, changed: 2 });
    expect(report.causes).toMatchObject([
      {
        ...{ before: { outcome: 'allow', policy: APPROVE }, after: { outcome: 'deny' }, count: 2 },
        examples: [{ subject: 'user:bob', action: 'approve', resource: 'invoice:INV-1' }, {}],
      },
    ]);
    const { code, stdout } = await bench.run(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^2 {2}allowed by policy\/billing\/approve → denied\n {6}line \d: user:bob approve invoice:INV-1/,
    );
    expect(stdout).toContain('2 of 3 replayed decisions would change against tenant.');
  });

  it('does not replay what would read a masked value', async () => {
    const relaxed = (billing()['apps/billing.yaml'] ?? '').replace(
      'amount < 1000',
      'amount < 1000 && context.mfa == true',
    );
    await bench.write(below('masked', { ...billing(), 'apps/billing.yaml': relaxed }));
    const report = await bench.json(['replay', 'decisions.log', '--against', 'masked']);
    expect(report).toMatchObject({ replayed: 2, changed: 1, not_replayable: { masked: 1 } });
    expect(report.causes).toMatchObject([{ after: { outcome: 'deny' }, count: 1 }]);
  });

  it('refuses a file without decisions, and inputs without a log', async () => {
    const { code, stderr } = await bench.run(['replay', '-', '--against', 'tenant'], { input: '{"msg":"started"}\n' });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no line of a decision log/)]);
    const agent = await bench.run(['agent', 'start'], {
      env: { SERVICE_API_KEY: 'svc_x', SERVICE_DECISION_LOG_INPUTS: 'true', SERVICE_DECISION_LOG_MASK: 'subject.id' },
    });
    expect(agent.stderr).toMatch(/there is no decision log: set SERVICE_DECISION_LOG=true, too|subject\.id/);
  });
});
