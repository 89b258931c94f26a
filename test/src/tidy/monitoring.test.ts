import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, 'deploy/monitoring');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const promtool = (...args: string[]) => spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

interface Rule {
  alert?: string;
  record?: string;
  expr: string;
}
const rules: Rule[] = parse(read('rules.yaml')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);

describe('the rules for Prometheus', () => {
  it.skipIf(!hasPromtool).each([
    ['are valid', ['check', 'rules', 'rules.yaml']],
    ['fire and are silent as their tests say', ['test', 'rules', 'rules.test.yaml']],
  ])('%s', (_, args) => {
    const { status, stdout, stderr } = promtool(...args);
    expect({ status, said: stdout + stderr }).toMatchObject({ status: 0 });
  });

  it('have for each alert a test that it fires, and one that it does not', () => {
    const tests: { name: string }[] = parse(read('rules.test.yaml')).tests;
    const named = tests.map(({ name }) => name).sort();
    const alerts = rules.flatMap(({ alert }) => (alert === undefined ? [] : [alert]));
    expect(named).toEqual(alerts.flatMap((alert) => [`${alert} fires`, `${alert} is silent while all is well`]).sort());
  });

  it('read metrics that cloud and agent have', () => {
    const sources = ['cloud/src', 'agent/src'].flatMap((place) =>
      readdirSync(join(root, place), { recursive: true })
        .map(String)
        .filter((file) => file.endsWith('metrics.ts'))
        .map((file) => readFileSync(join(root, place, file), 'utf8')),
    );
    const known = new Set(sources.flatMap((text) => text.match(/service_(cloud|agent)_\w+/g) ?? []));
    const asked = rules.flatMap(({ expr }) => expr.match(/service_(cloud|agent)_\w+/g) ?? []);
    expect(asked.length).toBeGreaterThan(rules.length - 2);
    expect(asked.filter((name) => !known.has(name.replace(/_bucket$/, '')))).toEqual([]);
  });
});
