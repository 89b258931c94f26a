import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, billing } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
});
afterAll(() => bench.close());

interface Report {
  coverage: {
    covered: number;
    total: number;
    percent: number;
    points: { address: string; goal: string; clause?: string; line: number; hits: number; accepted?: string }[];
  };
}

const GUARDED = `applications:
  billing:
    policies:
      guarded:
        effect: DENY
        resource_type: invoice
        actions: [read]
        condition: >-
          resource.properties.amount > 100 && (
            subject.id == "zoe" ||
            !(context.site == "a"))
        unless: { mfa_required: true }
        assigned_to: [group/finance]
`;

/** Returns what is shown of a policy's guard, each as CLAUSE GOAL. */
async function shown(folder: string, tests: string): Promise<string[]> {
  await bench.write({ [`${folder}/t.test.yaml`]: `tests:\n${tests}` });
  const { coverage } = await bench.json<Report>(['test', folder, '--coverage']);
  const guard = coverage.points.filter(({ address, clause }) => address === 'policy/billing/guarded' && clause);
  return guard.flatMap(({ clause, goal, hits }) => (hits > 0 ? [`${clause} ${goal}`] : []));
}

const ask = (name: string, context: string, expected: string, amount = 200) =>
  `  - { name: ${name}, subject: user:alice, action: read, resource: { type: invoice, name: x, properties: { amount: ${amount} } }, context: ${context}, expect: ${expected} }\n`;

describe('servicectl test --coverage', () => {
  it.each<[string, string, string[]]>([
    [
      'every clause of a condition, also those that others settle before',
      ask('a', '{ site: a }', 'allow', 50),
      [
        'resource.properties.amount > 100 false',
        'subject.id == "zoe" false',
        'context.site == "a" true',
        'unless mfa_required false',
      ],
    ],
    [
      'what is absent as neither true nor false, but in unless as false',
      ask('a', '{}', 'deny'),
      ['resource.properties.amount > 100 true', 'subject.id == "zoe" false', 'unless mfa_required false'],
    ],
    [
      'a modifier that holds',
      ask('a', '{ mfa: true, site: b }', 'allow'),
      [
        'resource.properties.amount > 100 true',
        'subject.id == "zoe" false',
        'context.site == "a" false',
        'unless mfa_required true',
      ],
    ],
  ])('counts %s', async (_, tests, expected) => {
    await bench.write({ ...below('clauses', billing()), 'clauses/guarded.yaml': GUARDED });
    expect((await shown('clauses', tests)).sort()).toEqual(expected.sort());
  });

  it('shows what is missing at its place, fails below the threshold, and writes LCOV', async () => {
    await bench.write({
      ...below('missing', billing()),
      'missing/guarded.yaml': GUARDED,
      'missing/t.test.yaml': `tests:\n${ask('a', '{ site: a, mfa: true }', 'allow')}`,
    });
    const { code, stdout } = await bench.run(['test', 'missing', '--threshold', '31.25', '--lcov', 'lcov.info']);
    expect(stdout).toMatch(/policy\/billing\/read +1 +0 +missing\/apps\/billing\.yaml:12/);
    for (const line of [
      'missing/guarded.yaml:4:7: not shown: policy/billing/guarded: decides no question',
      'missing/guarded.yaml:10:13: not shown: policy/billing/guarded: never true: subject.id == "zoe"',
      'missing/guarded.yaml:11:15: not shown: policy/billing/guarded: never false: context.site == "a"',
      'missing/guarded.yaml:9:11: not shown: policy/billing/guarded: never false: resource.properties.amount > 100',
      'not shown: policy_assignment/billing/approve//role/billing/accountant: no test fails without it',
    ]) {
      expect(stdout).toContain(line);
    }
    expect(stdout).not.toContain('not shown: group_membership/finance//subject/user/alice');
    expect(code).toBe(0);
    const lcov = await readFile(bench.path('lcov.info'), 'utf8');
    expect(lcov).toContain('SF:missing/guarded.yaml\n');
    expect(lcov).toMatch(/BRDA:10,1,0,0\nBRDA:10,1,1,1\n/);
    expect(lcov).toMatch(/DA:10,0\n/);
    const higher = await bench.run(['test', 'missing', '--threshold', '50.01']);
    expect(higher).toMatchObject({ code: 1, stdout: expect.stringContaining('less than 50.01 %') });
    const wrong = await bench.run(['test', 'missing', '--threshold', '101']);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('--threshold "101" is not a percentage') });
  });

  it('leaves out what a comment with a reason accepts', async () => {
    const people = billing()['people.yaml'] ?? '';
    const files = {
      ...below('accepted', billing()),
      'accepted/people.yaml': people.replace(
        '  user/bob:',
        '  # Bob stands in.\n  # accept coverage: he leaves in March\n  user/bob:',
      ),
      'accepted/t.test.yaml':
        'tests: [{ name: a, subject: user:alice, action: read, resource: invoice:INV-1, expect: allow }]\n',
    };
    await bench.write(files);
    const address = 'role_assignment/billing/accountant//subject/user/bob';
    const found = async () => {
      const { coverage } = await bench.json<Report>(['test', 'accepted', '--coverage']);
      return { point: coverage.points.find((one) => one.address === address), total: coverage.total };
    };
    const accepted = await found();
    expect(accepted.point).toMatchObject({ hits: 0, accepted: 'he leaves in March' });
    await bench.write({ 'accepted/people.yaml': people });
    const { point, total } = await found();
    expect(point).not.toHaveProperty('accepted');
    expect(total).toBe(accepted.total + 1);
  });

  it('looks at what a branch changes alone, new files included', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
        cwd: bench.path('branch'),
        env: bench.environment({}),
        encoding: 'utf8',
      });
    await bench.write({
      ...below('branch', billing()),
      'branch/t.test.yaml':
        'tests: [{ name: a, subject: user:alice, action: read, resource: invoice:INV-1, expect: allow }]\n',
    });
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-q', '-m', 'first');
    git('switch', '-q', '-c', 'topic');
    const apps = await readFile(bench.path('branch/apps/billing.yaml'), 'utf8');
    await bench.write({
      'branch/apps/billing.yaml': apps.replace('amount < 1000', 'amount < 2000'),
      'branch/new.yaml': GUARDED,
    });
    git('switch', '-q', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'meanwhile');
    git('switch', '-q', 'topic');
    const { coverage } = await bench.json<Report>(['test', 'branch', '--changed-since', 'main'], { code: 1 });
    const touched = new Set(coverage.points.map(({ address }) => address));
    expect([...touched].sort()).toEqual([
      'policy/billing/approve',
      'policy/billing/guarded',
      'policy_assignment/billing/guarded//group/finance',
    ]);
    const unknown = await bench.run(['test', 'branch', '--changed-since', 'nowhere']);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('--changed-since "nowhere" cannot be') });
  });
});
