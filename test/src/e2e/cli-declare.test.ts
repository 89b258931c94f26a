import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import type { Plan } from '@authz-service/core/plan/plan';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, billing } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
let cloud: Awaited<ReturnType<Workbench['startCloud']>>;
beforeAll(async () => {
  bench = await Workbench.create();
  cloud = await bench.startCloud();
});
afterAll(() => bench.close());

const RECORDS = 15;

describe('from nothing to decisions', () => {
  it('init, validate, plan, apply, plan, authorize, export, plan of the export', async () => {
    const env = await cloud.tenant();
    expect(await bench.run(['init', 'fresh'])).toMatchObject({ code: 0 });
    expect(await bench.json(['validate', 'fresh'])).toMatchObject({ valid: true, faults: [], warnings: [], files: 3 });
    expect(await bench.run(['test', 'fresh'])).toMatchObject({ code: 0, stdout: '✓ 7 questions in 1 file: passed\n' });

    const planned = await bench.run(['plan', 'fresh', '--detailed-exitcode'], { env });
    expect(planned).toMatchObject({ code: 2, stderr: '' });
    expect(planned.stdout).toMatch(/\+ role\/helpdesk\/lead\n/);
    expect(planned.stdout).toMatch(/\nPlan: \d+ to add, 0 to change, 0 to remove, 0 unchanged\.\n/);

    const applied = await bench.run(['apply', 'fresh', '--yes'], { env });
    expect(applied.code).toBe(0);
    expect(applied.stdout).toMatch(
      /^Applied: revision 2\.[0-9a-f]{16}; \d+ added, 0 changed, 0 removed, 0 unchanged\.\n$/,
    );
    expect(applied.stderr).toContain('+ role/helpdesk/lead');

    const again = await bench.run(['plan', 'fresh', '--detailed-exitcode'], { env });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes') });

    const asked = await bench.run(
      ['authorize', '--subject', 'user:grace', '--action', 'close', '--resource', 'ticket:T-1'],
      { env },
    );
    expect(asked).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^allowed {2}user:grace close ticket:T-1\n/),
    });

    expect(await bench.run(['export', '--out', 'exported'], { env })).toMatchObject({ code: 0 });
    const exported = await bench.run(['plan', 'exported', '--detailed-exitcode'], { env });
    expect(exported).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes') });
  });

  it('init writes over nothing', async () => {
    await bench.write({ 'taken/people.yaml': 'mine' });
    const refused = await bench.run(['init', 'taken']);
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('taken/people.yaml') });
    expect(await readdir(bench.path('taken'))).toEqual(['people.yaml']);
    expect(await readFile(bench.path('taken/people.yaml'), 'utf8')).toBe('mine');
  });
});

describe('validate', () => {
  it('shows every fault at its place, and counts them', async () => {
    await bench.write({
      'bad/a.yaml': 'version: 1\nroles:\n  x: { assigned_to: [user/zoe] }\npolicys: {}\n',
      'bad/b.yaml': 'groups:\n  g: { members: [group/g] }\n',
    });
    const { code, stdout } = await bench.run(['validate', 'bad']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^bad\/a\.yaml:3:\d+: error: .*"user\/zoe" does not exist/m);
    expect(stdout).toMatch(/^bad\/a\.yaml:4:1: error: .*did you mean "policies"\?/m);
    expect(stdout).toMatch(/^bad\/b\.yaml:2:\d+: error: /m);
    expect(stdout).toMatch(/\n✗ 3 faults in 2 files\n$/);
    const report = await bench.json(['validate', 'bad'], { code: 1 });
    expect(report).toMatchObject({ valid: false, error: { code: 'invalid_records' } });
    expect(report.faults).toHaveLength(3);
  });

  it('tells warnings apart, which fail with --strict alone', async () => {
    await bench.write({
      'warned/a.yaml': `version: 1
roles: { r: {} }
subjects:
  user/anne: { roles: [{ role: r, expires_at: "2020-01-01T00:00:00Z" }] }
`,
    });
    const relaxed = await bench.run(['validate', 'warned']);
    expect(relaxed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/: warning: .*\n✓ .* valid, 1 warning\n$/s),
    });
    expect(await bench.run(['validate', 'warned', '--strict'])).toMatchObject({ code: 1 });
  });

  it('places faults in the JSON of a plan too, before any service is asked', async () => {
    await bench.write({ 'bad2/a.yaml': 'version: 1\nroles:\n  x: { assigned_to: [user/zoe] }\n' });
    const env = { SERVICE_API_KEY: 'svc_x', SERVICE_CLOUD_URL: 'http://127.0.0.1:9' };
    const { error } = await bench.json<{ error: object }>(['plan', 'bad2'], { code: 1, env });
    expect(error).toMatchObject({
      code: 'invalid_records',
      errors: [{ file: 'bad2/a.yaml', line: 3, pointer: '/entity' }],
    });
  });
});

describe('the contract for scripts', () => {
  it('plan and apply as JSON', async () => {
    const env = await cloud.tenant('contract');
    await bench.write(below('contract', billing()));
    const plan = await bench.json<Plan>(['plan', 'contract', '--detailed-exitcode'], { env, code: 2 });
    expect(plan).toMatchObject({
      format: 1,
      tenant: 'contract',
      stack: 'billing',
      base_revision: expect.stringMatching(/^1\./),
      counts: { added: RECORDS, changed: 0, removed: 0, unchanged: 0 },
    });
    expect(plan.changes).toHaveLength(RECORDS);
    const applied = await bench.json(['apply', 'contract', '--yes'], { env });
    expect(applied).toEqual({
      revision: expect.stringMatching(/^2\.[0-9a-f]{16}$/),
      added: RECORDS,
      changed: 0,
      removed: 0,
      unchanged: 0,
    });
    await bench.write(below('contract', billing({ amount: 130 })));
    expect(await bench.json(['apply', 'contract', '--yes'], { env })).toEqual({
      revision: expect.stringMatching(/^3\./),
      added: 0,
      changed: 1,
      removed: 0,
      unchanged: RECORDS - 1,
    });
    expect(await bench.json(['apply', 'contract', '--yes'], { env })).toEqual({
      revision: expect.stringMatching(/^3\./),
      added: 0,
      changed: 0,
      removed: 0,
      unchanged: RECORDS,
    });
    expect(await bench.json<Plan>(['plan', 'contract', '--detailed-exitcode'], { env })).toMatchObject({ changes: [] });
  });

  it('plan as text and as Markdown', async () => {
    const env = await cloud.tenant('rendered');
    await bench.write(below('rendered', billing({ subjects: ['alice', 'bob', 'carol'] })));
    await bench.json(['apply', 'rendered', '--yes'], { env });
    await bench.write(below('rendered', billing({ amount: 99 })));
    const plain = (text: string) =>
      text.replaceAll(/\d+\.[0-9a-f]{16}/g, 'REVISION').replaceAll(/http(:|&#58;)\/\/127\.0\.0\.1\1\d+/g, 'CLOUD');
    expect(plain((await bench.run(['plan', 'rendered', '--no-access'], { env })).stdout)).toMatchSnapshot('text');
    expect(plain((await bench.run(['plan', 'rendered', '--no-access', '--markdown'], { env })).stdout)).toMatchSnapshot(
      'markdown',
    );
  });
});

describe('a saved plan', () => {
  it('is applied exactly, and only once', async () => {
    const env = await cloud.tenant();
    await bench.write(below('saved', billing()));
    const shown = await bench.run(['plan', 'saved', '--out', 'saved.plan', '--detailed-exitcode'], { env });
    expect(shown.code).toBe(2);
    // The present content of the tree does not matter.
    await bench.write(below('saved', billing({ amount: 5 })));
    expect(await bench.json(['apply', 'saved.plan', '--yes'], { env })).toMatchObject({ added: RECORDS });
    const record = await bench.json(['get', 'resource/billing/invoice/INV-1'], { env });
    expect(record).toMatchObject({ properties: { amount: 120 } });
    const { error } = await bench.json<{ error: object }>(['apply', 'saved.plan', '--yes'], { env, code: 1 });
    expect(error).toMatchObject({ code: 'stale_base' });
  });

  it('outlives a key that is made and deleted meanwhile', async () => {
    const env = await cloud.tenant();
    await bench.write(below('outlives', billing()));
    await bench.run(['plan', 'outlives', '--out', 'outlives.plan'], { env });
    await bench.json(['keys', 'create', 'meanwhile', '--scope', 'bundle'], { env });
    await bench.json(['keys', 'delete', 'meanwhile', '--yes'], { env });
    expect(await bench.json(['apply', 'outlives.plan', '--yes'], { env })).toMatchObject({ added: RECORDS });
  });

  it.each([
    ['of credentials does not outlive another one', 'api_keys: { ci: { scopes: [decisions] } }'],
    ['of records does not outlive a record', 'roles: { reviewer: {} }'],
  ])('%s', async (name, declared) => {
    const env = await cloud.tenant();
    const folder = name.replaceAll(' ', '-');
    await bench.write({ [`${folder}/a.yaml`]: `version: 1\nstack: git\n${declared}\n` });
    await bench.run(['plan', folder, '--out', `${folder}.plan`], { env });
    if (declared.startsWith('api_keys')) await bench.json(['keys', 'create', 'k', '--scope', 'bundle'], { env });
    else {
      await bench.write({ 'meanwhile/a.yaml': 'version: 1\nstack: other\ngroups: { meanwhile: {} }\n' });
      await bench.json(['apply', 'meanwhile', '--yes'], { env });
    }
    const apply = ['apply', `${folder}.plan`, '--yes', '--credentials-out', `${folder}.json`];
    const { error } = await bench.json<{ error: object }>(apply, { env, code: 1 });
    expect(error).toMatchObject({ code: 'stale_base' });
    await expect(readFile(bench.path(`${folder}.json`))).rejects.toThrow('ENOENT');
  });

  it('is refused by another tenant, even at the same revision', async () => {
    const [env, other] = [await cloud.tenant(), await cloud.tenant()];
    await bench.write(below('mine', billing()));
    await bench.run(['plan', 'mine', '--out', 'mine.plan'], { env });
    const { error } = await bench.json<{ error: object }>(['apply', 'mine.plan', '--yes'], { env: other, code: 1 });
    expect(error).toMatchObject({ code: 'conflict', detail: expect.stringContaining('use a credential of') });
    expect(await bench.json(['get', 'roles'], { env: other })).toEqual({ items: [] });
  });

  it.each([
    ['is no JSON', 'role: x', /no\.plan: .*not valid JSON/],
    ['has no plan in it', '{"format": 2}', /no\.plan: .*not a saved plan/],
  ])('that %s is refused', async (_, text, message) => {
    await bench.write({ 'no.plan': text });
    const env = await cloud.tenant();
    expect(await bench.run(['apply', 'no.plan', '--yes'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(message),
    });
  });

  it('that somebody has edited is refused', async () => {
    const env = await cloud.tenant();
    await bench.write(below('edited', billing()));
    await bench.run(['plan', 'edited', '--out', 'edited.plan'], { env });
    const plan = JSON.parse(await readFile(bench.path('edited.plan'), 'utf8')) as Plan;
    await bench.write({ 'edited.plan': JSON.stringify({ ...plan, changes: plan.changes.slice(1) }) });
    const { error } = await bench.json<{ error: object }>(['apply', 'edited.plan', '--yes'], { env, code: 1 });
    expect(error).toMatchObject({ code: 'invalid_request' });
  });
});

describe('consent', () => {
  it('removals need --prune beside --yes, else nothing at all is changed', async () => {
    const env = await cloud.tenant();
    await bench.write(below('pruned', billing({ subjects: ['alice', 'bob', 'carol'] })));
    await bench.json(['apply', 'pruned', '--yes'], { env });
    await bench.write(below('pruned', billing({ amount: 7 })));
    const refused = await bench.run(['apply', 'pruned', '--yes'], { env });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/error: The plan removes subject\/user\/carol\. .*--prune/);
    const untouched = await bench.json(['get', 'resource/billing/invoice/INV-1'], { env });
    expect(untouched).toMatchObject({ properties: { amount: 120 } });
    const pruned = await bench.json(['apply', 'pruned', '--yes', '--prune'], { env });
    expect(pruned).toMatchObject({ added: 0, changed: 1, removed: 1 });
  });

  it("another stack's records are left alone, unless ownership is taken", async () => {
    const env = await cloud.tenant();
    await bench.write({ ...below('one', billing()), ...below('two', billing({ stack: 'other' })) });
    await bench.json(['apply', 'one', '--yes'], { env });
    const { error } = await bench.json<{ error: object }>(['plan', 'two'], { env, code: 1 });
    expect(error).toMatchObject({
      code: 'not_owner',
      detail: expect.stringContaining('--take-ownership'),
      errors: expect.arrayContaining([
        expect.objectContaining({ address: 'role/billing/clerk', file: 'two/apps/billing.yaml', line: 9, column: 7 }),
      ]),
    });
    await bench.write({ 'three/tenant.yaml': 'version: 1\nexternal: [role/x,\n  group/nobodys]\n' });
    const outside = await bench.run(['plan', 'three'], { env });
    expect(outside.stderr).toContain('"role/x" is declared as external');
    expect(outside.stderr).toContain('\n  three/tenant.yaml:2:12: role/x\n');
    expect(outside.stderr).toContain('\n  three/tenant.yaml:3:3: ');
    const taken = await bench.json(['apply', 'two', '--yes', '--take-ownership'], { env });
    expect(taken).toMatchObject({ added: 0, changed: RECORDS, removed: 0 });
    expect(await bench.json(['get', 'role/billing/clerk'], { env })).toMatchObject({ managed_by: 'other' });
  });

  it('declared credentials need a file for their secrets', async () => {
    const env = await cloud.tenant();
    await bench.write({ 'keyed/a.yaml': 'version: 1\napi_keys:\n  ci: { scopes: [decisions] }\n' });
    const refused = await bench.run(['apply', 'keyed', '--yes'], { env });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--credentials-out') });
    const applied = await bench.run(['apply', 'keyed', '--yes', '--json', '--credentials-out', 'keys.json'], { env });
    expect(JSON.parse(applied.stdout)).toMatchObject({ added: 1, credentials: [{ address: 'api_key/ci' }] });
    const { credentials } = JSON.parse(await readFile(bench.path('keys.json'), 'utf8'));
    expect(credentials).toEqual([
      { address: 'api_key/ci', id: expect.any(String), secret: expect.stringMatching(/^svc_/) },
    ]);
    expect((await stat(bench.path('keys.json'))).mode & 0o777).toBe(0o600);
    expect(applied.stdout + applied.stderr).not.toContain(credentials[0].secret);
    const again = await bench.run(['apply', 'keyed', '--yes', '--credentials-out', 'keys.json'], { env });
    expect(again, 'nothing is left to do, so that the file is not touched').toMatchObject({ code: 0 });
  });

  it('without a terminal apply needs --yes', async () => {
    const env = await cloud.tenant();
    await bench.write(below('asked', billing()));
    const refused = await bench.run(['apply', 'asked'], { env, input: 'yes\n' });
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--yes') });
    expect(await bench.json(['get', 'roles'], { env })).toEqual({ items: [] });
  });
});

describe('a rename that Git reverts', () => {
  it('is refused while another stack uses the new name, naming that stack and the way back', async () => {
    const env = await cloud.tenant();
    const roles = (text: string) => bench.write({ 'renamed/a.yaml': `version: 1\nstack: roles\n${text}\n` });
    const moved = (from: string, to: string) => `moved: [{ from: role/${from}, to: role/${to} }]`;
    await roles('roles: { clerk: {} }');
    await bench.json(['apply', 'renamed', '--yes'], { env });
    await roles(`roles: { accountant: {} }\n${moved('clerk', 'accountant')}`);
    await bench.json(['apply', 'renamed', '--yes'], { env });
    await bench.write({
      'people/a.yaml':
        'version: 1\nstack: hr\nexternal: [role/accountant]\nsubjects: { user/zoe: { roles: [accountant] } }\n',
    });
    await bench.json(['apply', 'people', '--yes'], { env });
    await roles('roles: { clerk: {} }');
    const refused = await bench.run(['plan', 'renamed'], { env });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('declared by "hr"');
    expect(refused.stderr).toContain(moved('accountant', 'clerk'));
    await roles(`roles: { clerk: {} }\n${moved('accountant', 'clerk')}`);
    expect(await bench.json(['apply', 'renamed', '--yes'], { env })).toMatchObject({ removed: 0 });
  });
});

describe('export', () => {
  it('gives each stack a tree of its own, which plans to nothing', async () => {
    const env = await cloud.tenant();
    await bench.write({
      ...below('base', billing()),
      'more/a.yaml':
        'version: 1\nstack: more\nexternal: [role/billing/clerk]\nsubjects: { user/zoe: { roles: [billing/clerk] } }\n',
    });
    await bench.json(['apply', 'base', '--yes'], { env });
    await bench.json(['apply', 'more', '--yes'], { env });
    const exported = await bench.json<{ stacks: string[]; records: number }>(['export', '--out', 'both'], { env });
    expect(exported).toMatchObject({ stacks: ['billing', 'more'], records: RECORDS + 2 });
    const { stderr: note } = await bench.run(['export', '--out', 'both', '--replace'], { env });
    expect(note).toMatch(/one by one: both.billing, both.more\./);
    const whole = await bench.run(['validate', 'both']);
    expect(whole).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/validate, plan and apply the folder of each stack separately/),
    });
    for (const stack of exported.stacks) {
      expect(await bench.run(['validate', `both/${stack}`, '--strict']), stack).toMatchObject({ code: 0 });
      const plan = await bench.run(['plan', `both/${stack}`, '--detailed-exitcode'], { env });
      expect(plan, stack).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes') });
    }
    const one = await bench.json(['export', '--out', 'only', '--stack', 'more'], { env });
    expect(one).toMatchObject({ stacks: ['more'], records: 2 });
    expect(await bench.run(['plan', 'only', '--detailed-exitcode'], { env })).toMatchObject({ code: 0 });
  });

  it('mixes nothing with what is there, and replaces it on request', async () => {
    const env = await cloud.tenant();
    await bench.write({ ...below('source', billing()), 'target/old.yaml': 'version: 1\n', 'target/README.md': 'mine' });
    await bench.json(['apply', 'source', '--yes'], { env });
    const refused = await bench.run(['export', '--out', 'target'], { env });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--replace') });
    expect((await bench.run(['export', '--out', 'target', '--replace'], { env })).code).toBe(0);
    expect(existsSync(bench.path('target/old.yaml'))).toBe(false);
    expect(existsSync(bench.path('target/README.md'))).toBe(true);
    expect(await bench.run(['plan', 'target', '--detailed-exitcode'], { env })).toMatchObject({ code: 0 });
  });

  it('brings what was made by hand under a tree', async () => {
    const env = await cloud.tenant();
    await bench.write(below('hand', billing()));
    await bench.json(['apply', 'hand', '--yes'], { env });
    await bench.json(['keys', 'create', 'made', '--scope', 'decisions'], { env });
    const exported = await bench.run(['export', '--out', 'byhand', '--stack', 'api', '--as', 'adopted'], { env });
    expect(exported).toMatchObject({ code: 0, stderr: expect.stringContaining('--take-ownership') });
    const plan = await bench.json<Plan>(['plan', 'byhand', '--take-ownership'], { env });
    expect(plan.stack).toBe('adopted');
    expect(plan.changes.map(({ action, address }) => [action, address])).toEqual([
      ['adopt', 'api_key/made'],
      ['adopt', 'oauth_client/administrator'],
    ]);
  });

  it('writes no secret', async () => {
    const env = await cloud.tenant();
    const { secret } = await bench.json<{ secret: string }>(['keys', 'create', 'made', '--scope', 'decisions'], {
      env,
    });
    await bench.json(['export', '--out', 'secretless', '--stack', 'api'], { env });
    for (const file of await readdir(bench.path('secretless'), { recursive: true, withFileTypes: true })) {
      if (file.isFile()) expect(await readFile(`${file.parentPath}/${file.name}`, 'utf8')).not.toContain(secret);
    }
  });
});
