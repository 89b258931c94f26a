import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, billing } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
let env: Record<string, string>;

beforeAll(async () => {
  bench = await Workbench.create();
  env = await (await bench.startCloud()).tenant();
  const files = billing();
  const condition = 'resource.properties.amount < 1000 && (context.mfa == true || context.ip == "10.0.0.1")';
  files['apps/billing.yaml'] = (files['apps/billing.yaml'] ?? '').replace(
    'resource.properties.amount < 1000',
    `'${condition}'`,
  );
  const own =
    'own: { effect: ALLOW, resource_type: invoice, actions: [read], condition: resource.properties.amount == 7, assigned_to: [role/billing/accountant] }';
  files['apps/billing.yaml'] = files['apps/billing.yaml'].replace('policies:\n', `policies:\n      ${own}\n`);
  await bench.write(below('tenant', files));
  await bench.json(['apply', 'tenant', '--yes'], { env });
}, 60_000);
afterAll(() => bench.close());

const REST = 'context.mfa == true || context.ip == "10.0.0.1"';

describe('searches', () => {
  it('say how many they left out for want of context, and what was missing', async () => {
    const who = await bench.run(['who-can', 'approve', 'invoice:INV-1'], { env });
    expect([who.code, who.stderr.trim()]).toEqual([
      0,
      expect.stringMatching(/^0 subjects of type user; 1 left out, because the request does not say context\.(ip|mfa)/),
    ]);
    const json = await bench.json(['what-can', 'user:bob', 'approve'], { env });
    expect(json).toMatchObject({ results: [], left_out: { count: 1, absent: [expect.stringMatching(/^context\./)] } });
    const said = await bench.json(['who-can', 'approve', 'invoice:INV-1', '--context', 'mfa=true'], { env });
    expect(said).toEqual({ results: [{ type: 'user', id: 'bob' }] });
  });

  it('list with --possible what it depends on', async () => {
    const who = await bench.json(['who-can', 'approve', 'invoice:INV-1', '--possible'], { env });
    expect(who).toEqual({ results: [{ type: 'user', id: 'bob', condition: REST }] });
    const what = await bench.json(['what-can', 'user:bob', '--possible'], { env });
    expect(what).toMatchObject({ results: [{ id: 'INV-1', action: 'approve', condition: REST }] });
    const { stdout } = await bench.run(['what-can', 'user:bob', '--resource', 'invoice:INV-1', '--possible'], { env });
    expect(stdout).toMatch(/RESOURCE +ACTION +IF\ninvoice:INV-1 +approve +context\.mfa == true/);
    expect(await bench.json(['who-can', 'read', 'invoice:INV-1', '--possible'], { env })).toEqual({ results: [] });
  });

  it('list with --possible those whose property nobody recorded, with the condition on what a request may send', async () => {
    const who = await bench.json(['who-can', 'approve', 'invoice:INV-9', '--possible'], { env });
    expect(who).toEqual({
      results: [{ type: 'user', id: 'bob', condition: `resource.properties.amount < 1000 && (${REST})` }],
    });
    const { stdout, stderr } = await bench.run(['what-can', 'user:bob', '--possible', '--limit', '1'], { env });
    expect(stdout.trim().split('\n\n')[0]?.split('\n')).toHaveLength(2);
    expect(stderr).toContain('1 answer depends on what the request says besides');
  });

  it('say with --possible which rows are meant that nobody recorded', async () => {
    const rows = async (subject: string, ...more: string[]) =>
      (await bench.json(['what-can', subject, '--possible', ...more], { env })).rows;
    expect(await rows('user:alice')).toEqual([{ type: 'billing/invoice', action: 'read', filter: { kind: 'all' } }]);
    const condition = { op: 'eq', attribute: 'properties.amount', value: 7 };
    const seven = { type: 'billing/invoice', action: 'read', filter: { kind: 'some', condition } };
    expect(await rows('user:bob')).toMatchObject([seven]);
    expect(await rows('user:bob', 'approve')).toEqual([]);
    const { stdout } = await bench.run(['what-can', 'user:bob', 'read', '--possible'], { env });
    expect(stdout).toContain('user:bob may do this to the billing/invoice rows for which');
    expect(stdout).toContain('properties.amount == 7');
  });

  it.each<[string, string[], RegExp]>([
    [
      'an action, with --possible, too',
      ['who-can', 'aprove', 'invoice:INV-1', '--possible'],
      /"aprove" is not an action of invoice: did you mean "approve"/,
    ],
    ['a subject, with --possible, too', ['what-can', 'user:alcie', '--possible'], /did you mean "user:alice"/],
    [
      'an action',
      ['who-can', 'aprove', 'invoice:INV-1'],
      /"aprove" is not an action of invoice: did you mean "approve"/,
    ],
    [
      'a resource type',
      ['who-can', 'read', 'invioce:INV-1'],
      /"invioce" is not a resource type.*did you mean "invoice"/,
    ],
    [
      'a type of subjects',
      ['who-can', 'read', 'invoice:INV-1', '--subject-type', 'usr'],
      /no subject of this type: did you mean "user"/,
    ],
    ['a subject', ['what-can', 'user:alcie'], /"user:alcie" has no record.*did you mean "user:alice"/],
    [
      'a resource',
      ['who-can', 'approve', 'invoice:INV-l'],
      /"invoice:INV-l" has no record: did you mean "invoice:INV-1"/,
    ],
  ])('refuse the wrong name of %s', async (_, args, message) => {
    const { code, stderr } = await bench.run(args, { env });
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  });
});
