import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workbench } from './cli/workbench.js';

const PAGE = fileURLToPath(new URL('../../../docs/access-rules.md', import.meta.url));

let bench: Workbench;
let admin: Record<string, string>;
/** The environment of a tenant of its own. */
let other: Record<string, string>;
/** The tree of docs/access-rules.md. */
let tree: string;

beforeAll(async () => {
  bench = await Workbench.create();
  const cloud = await bench.startCloud();
  admin = await cloud.tenant();
  other = await cloud.tenant();
  const page = await readFile(PAGE, 'utf8');
  tree = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? '';
});
afterAll(() => bench.close());

const withEve = () => tree.replace('members: [user/ann]', 'members: [user/ann, user/eve]');

describe('the tree of the page about access rules', () => {
  it('is valid and is applied', async () => {
    await bench.write({ 'payroll/a.yaml': tree });
    expect(await bench.json(['validate', 'payroll'])).toMatchObject({ valid: true, warnings: [] });
    await bench.json(['apply', 'payroll', '--yes'], { env: admin });
    expect(await bench.json(['rules', 'check'], { env: admin })).toMatchObject({ violations: [], more: false });
  });

  it('says with file and line what breaks a rule, in validate and plan', async () => {
    await bench.write({ 'payroll/a.yaml': withEve() });
    const checked = await bench.run(['validate', 'payroll']);
    expect(checked.stdout).toMatch(
      /payroll\/a\.yaml:\d+:\d+: warning: access_rule\/no-externals-in-payroll: .*user\/eve may "read"/,
    );
    const planned = await bench.run(['plan', 'payroll'], { env: admin });
    expect(planned.stderr).toContain('The access rule "no-externals-in-payroll" forbids it, and user/eve may "read"');
    expect(planned.stderr).toMatch(/payroll\/a\.yaml:\d+/);
    // What is refused is shown, too.
    expect(planned.stdout).toMatch(/\+ .*user\/eve[\s\S]*Plan: 1 to add[\s\S]*user\/eve may now/);
    expect(planned.code).toBe(1);
    const saved = await bench.run(['plan', 'payroll', '--out', 'payroll.plan'], { env: admin });
    expect(saved.code).toBe(1);
    expect(existsSync(bench.path('payroll.plan'))).toBe(false);
  });

  it('tells of rules that only warn, and of new ones that are broken from the start, in plan and apply', async () => {
    const ruled = (rules: string) => tree.replace(/access_rules:.*/s, `access_rules:\n  ${rules}\n`);
    const warns = 'warns: { mode: warn, never: { subjects: user/eve, actions: [read], resources: payroll/payslip } }';
    const broken = 'new: { never: { subjects: user/ann, actions: [read], resources: payroll/payslip } }';
    await bench.write({ 'wages/a.yaml': ruled(warns) });
    await bench.json(['apply', 'wages', '--yes'], { env: other });
    const withEve = ruled(`${warns}\n  ${broken}`).replace('[user/ann]', '[user/ann, user/eve]');
    await bench.write({ 'wages/a.yaml': withEve });
    const told = [
      {
        rule: 'access_rule/warns',
        mode: 'warn',
        detail: expect.stringMatching(/user\/eve may "read" payroll\/payslip.*only warns/),
      },
      {
        rule: 'access_rule/new',
        mode: 'enforce',
        detail: expect.stringMatching(/user\/ann may "read" payroll\/payslip.*stands already/),
      },
    ];
    expect(await bench.json(['plan', 'wages'], { env: other })).toMatchObject({ broken_rules: told });
    const text = await bench.run(['plan', 'wages'], { env: other });
    expect(text.stdout).toContain('Access rules that are broken, and refuse nothing of this:');
    expect(await bench.json(['apply', 'wages', '--yes'], { env: other })).toMatchObject({ broken_rules: told });
  });

  it('refuses the grant along with the removal of the rule', async () => {
    const without = withEve().replace(/ {2}no-externals-in-payroll:.*?(?= {2}only-payroll)/s, '');
    expect(without).not.toContain('no-externals');
    await bench.write({ 'payroll/a.yaml': without });
    const applied = await bench.run(['apply', 'payroll', '--yes', '--prune'], { env: admin });
    expect(applied.stderr).toContain('no-externals-in-payroll');
  });
});
