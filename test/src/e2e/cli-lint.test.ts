import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, billing } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
});
afterAll(() => bench.close());

const MORE = `version: 1
applications:
  billing:
    policies:
      locked:
        effect: DENY
        resource_type: invoice
        actions: [approve]
        condition: context.locked
        assigned_to: [everyone]
      again:
        effect: ALLOW
        resource_type: invoice
        actions: [approve]
        condition: >-
          has(context.day) &&
          resource.properties.amount < 100
        assigned_to: [role/billing/accountant]
groups: { nobody: {} }
`;
const AGAIN =
  'more.yaml:11:7: proven: policy/billing/again: changes no answer: policy/billing/approve applies wherever it does, with the same effect and priority. Remove one of them. (redundant-policy)';

describe('servicectl lint', () => {
  it('shows findings at their places, and fails on what is proven', async () => {
    await bench.write({ ...below('tree', billing()), 'tree/more.yaml': MORE });
    const { code, stdout } = await bench.run(['lint', '.'], { cwd: 'tree' });
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      'more.yaml:9:20: suspected: policy/billing/locked: This DENY reads context.locked without has(): it denies whenever one is absent. Ask has(context.locked) first, or accept it if that is meant. (deny-on-absence)',
      AGAIN,
      'more.yaml:19:11: proven: group/nobody: has no subjects, directly or through other groups: add members, or remove the group. (empty-group)',
      '✗ 2 proven, 1 suspected in 4 files',
      '',
    ]);
    expect(await bench.json(['lint', 'tree'], { code: 1 })).toMatchObject({
      files: 4,
      proven: 2,
      suspected: 1,
      accepted: 0,
      findings: [{ rule: 'deny-on-absence', line: 9, column: 20, address: 'policy/billing/locked' }, {}, {}],
    });
  });

  it('accepts what comments accept, and shows comments that accept nothing', async () => {
    const accepted = MORE.replace(
      '      locked:\n',
      '      locked: # accept deny-on-absence: who says nothing is locked out\n',
    )
      .replace('      again:\n', '      # accept redundant-policy: the ledger asks for it\n      again:\n')
      .replace('groups: {', '# accept empty-group: filled by the directory\ngroups: {');
    await bench.write({ ...below('accepted', billing()), 'accepted/more.yaml': accepted });
    const clean = await bench.run(['lint', 'accepted', '--strict', '--sarif', 'lint.sarif']);
    expect(clean).toEqual({ code: 0, stderr: '', stdout: '✓ 0 proven, 0 suspected, 3 accepted in 4 files\n' });
    const sarif = JSON.parse(await readFile(bench.path('lint.sarif'), 'utf8'));
    expect(sarif).toMatchObject({ version: '2.1.0', runs: [{ tool: { driver: { name: 'servicectl lint' } } }] });
    const [first, second] = sarif.runs[0].results;
    expect(first).toMatchObject({
      ruleId: 'deny-on-absence',
      level: 'note',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'accepted/more.yaml' },
            region: { startLine: 9, startColumn: 20 },
          },
        },
      ],
      suppressions: [{ kind: 'inSource', justification: 'who says nothing is locked out' }],
    });
    expect(second).toMatchObject({ ruleId: 'redundant-policy', level: 'warning' });
    for (const { ruleId, ruleIndex } of sarif.runs[0].results)
      expect(sarif.runs[0].tool.driver.rules[ruleIndex].id).toBe(ruleId);
    await bench.write({
      'accepted/more.yaml': accepted.replace(': the ledger asks for it', ':').replace('empty-group', 'empty-groups'),
      'accepted/idle.yaml': 'version: 1\n# accept unused-role: gone\nroles: {}\n',
    });
    const { code, stdout } = await bench.run(['lint', '.'], { cwd: 'accepted' });
    expect(code).toBe(1);
    expect(stdout).toContain(AGAIN.replace(':11:', ':12:'));
    expect(stdout).toContain(
      'idle.yaml:2:1: proven: There is no finding of "unused-role" to accept here: remove the comment. (idle-comment)',
    );
    expect(stdout).toContain('more.yaml:11:7: proven: Write why: "# accept redundant-policy: REASON". (idle-comment)');
    expect(stdout).toContain('There is no rule "empty-groups": the rules are vacuous-policy,');
  });

  it('leaves to it what validate --strict need not warn of', async () => {
    await bench.write({ ...below('strict', billing()), 'strict/more.yaml': MORE });
    expect(await bench.json(['validate', 'strict', '--strict'])).toMatchObject({ valid: true, warnings: [] });
  });

  it('refuses a tree with faults, and finds nothing in the examples', async () => {
    await bench.write({ 'faulty/a.yaml': 'version: 1\nroels: {}\n' });
    const refused = await bench.run(['lint', 'faulty']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('roels') });
    for (const name of ['tenant', 'document-store', 'authzen-todo', 'authzen-search', 'authzen-fixture']) {
      const folder = fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
      expect(await bench.json(['lint', folder, '--strict'])).toMatchObject({ proven: 0, suspected: 0 });
    }
  });

  it('reads a Terraform plan: at the block where that is known, and else by the address', async () => {
    const managed = (kind: string, name: string, values: object) => ({
      address: `service_${kind}.${name}`,
      mode: 'managed',
      type: `service_${kind}`,
      name,
      values: { id: name, description: null, ...values },
    });
    const policy = { application: 'app', effect: 'ALLOW', resource_type: 'app/doc', actions: ['read'], priority: 0 };
    const resources = [
      managed('application', 'app', { name: 'app', path: 'app' }),
      managed('resource_type', 'doc', { application: 'app', name: 'doc', actions: ['read'] }),
      managed('policy', 'read', { ...policy, name: 'read' }),
      managed('group', 'nobody', { name: 'nobody' }),
    ];
    const plan = { format_version: '1.2', planned_values: { root_module: { resources } }, resource_changes: [] };
    await bench.write({
      'hcl/plan.json': JSON.stringify(plan),
      'hcl/main.tf': '# Roles.\nresource "service_policy" "read" {\n}\n',
    });
    const { code, stdout } = await bench.run(['lint', '--terraform', 'hcl/plan.json', '--sarif', 'hcl/lint.sarif']);
    expect([code, stdout.trim().split('\n')]).toEqual([
      1,
      [
        expect.stringMatching(/^hcl\/main\.tf:2:1: proven: policy\/app\/read: .* \(unassigned-policy\)$/),
        expect.stringMatching(/^hcl\/plan\.json: proven: group\/nobody: .* \(empty-group\)$/),
        '✗ 2 proven, 0 suspected in 1 file',
      ],
    ]);
    const sarif = JSON.parse(await readFile(bench.path('hcl/lint.sarif'), 'utf8'));
    expect(sarif.runs[0].results.map((one: { locations: object[] }) => one.locations[0])).toEqual([
      {
        physicalLocation: { artifactLocation: { uri: 'hcl/main.tf' }, region: { startLine: 2, startColumn: 1 } },
        logicalLocations: [{ fullyQualifiedName: 'policy/app/read', kind: 'object' }],
      },
      {
        physicalLocation: { artifactLocation: { uri: 'hcl/plan.json' } },
        logicalLocations: [{ fullyQualifiedName: 'group/nobody', kind: 'object' }],
      },
    ]);
  });
});
