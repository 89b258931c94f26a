import { afterAll, beforeAll, expect, it } from 'vitest';
import { below } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
let env: Record<string, string>;
const NOW = '2100-03-01T00:00:00Z';

beforeAll(async () => {
  bench = await Workbench.create();
  env = await (await bench.startCloud()).tenant('acme');
  await bench.write(
    below('tenant', {
      'tenant.yaml': `version: 1
applications:
  billing:
    resource_types: { invoice: { actions: [read] } }
    resources: { INV-1: { type: invoice } }
    roles: { clerk: {} }
    policies:
      read: { effect: ALLOW, resource_type: invoice, actions: [read], assigned_to: [role/billing/clerk] }
subjects:
  user/ann: { roles: [{ role: billing/clerk, expires_at: "2100-03-11T00:00:00Z" }] }
  user/bob: { roles: [{ role: billing/clerk, expires_at: "2100-06-01T00:00:00Z" }] }
  user/eve: { roles: [billing/clerk], suspended_until: "2100-03-05T00:00:00Z", suspension_reason: Lost a laptop. }
api_keys:
  ci: { scopes: [decisions], expires_at: "2100-03-20T00:00:00Z" }
`,
    }),
  );
  await bench.json(['apply', 'tenant', '--yes', '--credentials-out', 'secrets.json'], { env });
});
afterAll(() => bench.close());

const expiring = (...flags: string[]) => bench.run(['expiring', '--now', NOW, ...flags], { env });

it('lists what ends, the next first, and what that does to access', async () => {
  const { stdout, stderr, code } = await expiring();
  expect(code).toBe(0);
  expect(stderr).toContain('Ending within 30d: 3, in live (tenant "acme"');
  const records = [
    'suspension +subject/user/eve +Lost a laptop.',
    'link +role_assignment/billing/clerk//subject/user/ann',
    'credential +api_key/ci',
  ];
  expect(stdout).toMatch(new RegExp(records.join('[\\s\\S]*')));
  expect(stdout).not.toContain('user/bob');
  const [, access = ''] = stdout.split('\n\n');
  expect(access.replace(/\s+/g, ' ')).toMatch(
    /^Access then: 1 permission gained, 1 lost\. New user\/eve may read any billing\/invoice .*, from 2100-03-05 00:00 UTC on .* Gone user\/ann may no longer read .*, from 2100-03-11 00:00 UTC on/,
  );
});

it('looks as far as it is told, and says by its exit code that something ends', async () => {
  expect((await expiring('--within', '1h', '--exit-code')).code).toBe(0);
  expect((await expiring('--within', '7d', '--exit-code')).code).toBe(2);
  const { ending } = await bench.json<{ ending: object[] }>(['expiring', '--now', NOW, '--within', '7d'], { env });
  expect(ending).toEqual([
    {
      address: 'subject/user/eve',
      kind: 'subject',
      what: 'suspension',
      ends_at: '2100-03-05T00:00:00.000Z',
      reason: 'Lost a laptop.',
    },
  ]);
  expect((await expiring('--within', 'soon')).stderr).toContain('--within "soon" is not a duration');
});
