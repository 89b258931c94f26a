import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
  await bench.write({ 'tenant/a.yaml': 'version: 1\n', 'tenant.plan': '' });
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await bench.run(['completion', shell]);
    await bench.write({ [`service.${shell}`]: stdout });
  }
});
afterAll(() => bench.close());

/** Returns what bash would offer for the last of these words, after it has split them at "=" and ":". */
function offered(...line: string[]): string[] {
  const program = `source ./service.bash
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _service; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['--norc', '-c', program, 'bash', ...line], {
    cwd: bench.folder,
    encoding: 'utf8',
  });
  return output.split('\n').filter((word) => word !== '');
}

describe('in bash', () => {
  it.each<[string, string[], string[]]>([
    ['commands', ['service', 'p'], ['patch', 'plan', 'promote', 'profiles', 'provider']],
    ['words of a topic', ['servicectl', 'keys', ''], ['create', 'delete', 'list']],
    ['flags of a command', ['service', 'plan', '--t'], ['--take-ownership']],
    ['flags of the program', ['service', '--v'], ['--version']],
    ['values of a flag', ['service', 'keys', 'create', 'ci', '--scope', 'de'], ['decisions']],
    ['values behind "="', ['service', 'keys', 'create', 'ci', '--scope', '=', 'de'], ['decisions']],
    ['values with a colon', ['service', 'keys', 'create', 'ci', '--scope', 'records', ':', 'r'], ['read']],
    ['values right behind a colon', ['service', 'keys', 'create', 'ci', '--scope', 'records', ':'], ['read', 'write']],
    ['kinds', ['service', 'get', 'polic'], ['policies', 'policy-assignments']],
    ['shells', ['service', 'completion', ''], ['bash', 'zsh', 'fish']],
    ['folders where a folder stands', ['service', 'plan', 't'], ['tenant']],
    ['files where a plan may stand', ['service', 'apply', 'tenant.'], ['tenant.plan']],
    ['files behind a flag', ['service', 'plan', '--out', 'tenant.'], ['tenant.plan']],
    ['nothing where anything may stand', ['service', 'keys', 'create', ''], []],
    [
      'flags behind values with colons',
      ['service', 'authorize', '-s', 'user', ':', 'alice', '--res'],
      ['--resource', '--resource-id', '--resource-property'],
    ],
    ['nothing behind what nobody knows', ['service', 'nothing', ''], []],
  ])('completes %s', (_, line, expected) => {
    expect(offered(...line)).toEqual(expected);
  });
});

const hasFish = spawnSync('fish', ['--version']).status === 0;

describe.skipIf(!hasFish)('in fish', () => {
  it.each<[string, string, string[]]>([
    ['commands', 'service ap', ['apply']],
    [
      'words of a topic alone, beside what fish knows of another "service"',
      'servicectl keys ',
      ['create', 'delete', 'list'],
    ],
    ['words of a topic under the other name', 'servicectl keys ', ['create', 'delete', 'list']],
    ['values', 'servicectl completion ', ['bash', 'fish', 'zsh']],
  ])('completes %s', (_, line, expected) => {
    const program = `source ./service.fish; complete -C '${line}'`;
    const env = bench.environment({ XDG_CONFIG_HOME: bench.folder });
    const output = execFileSync('fish', ['-c', program], { cwd: bench.folder, encoding: 'utf8', env });
    expect(
      output
        .trimEnd()
        .split('\n')
        .map((offer) => offer.split('\t')[0]),
    ).toEqual(expected);
  });
});

describe('for other shells', () => {
  it.each(['zsh', 'fish'])('%s knows every command and every flag', async (shell) => {
    const script = readFileSync(bench.path(`service.${shell}`), 'utf8');
    const { stdout } = await bench.run(['completion', 'bash']);
    const flags = [...new Set(stdout.match(/--[a-z-]+/g))].map((flag) => flag.slice(2));
    expect(flags.length).toBeGreaterThan(30);
    for (const word of [...flags, 'rotate-keys', 'who-can']) expect(script).toContain(word);
  });
});
