import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../command-table.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { type CompletedCommand, vocabulary } from './vocabulary.js';
import { zshScript } from './zsh.js';

let words: CompletedCommand[];
let folder: string;

beforeAll(async () => {
  words = await vocabulary(async (id) => {
    const module = await COMMANDS[id]?.();
    if (module === undefined) throw new Error(id);
    return module.default;
  });
  folder = mkdtempSync(join(tmpdir(), 'cli-completion-'));
  mkdirSync(join(folder, 'tenant'));
  writeFileSync(join(folder, 'tenant.plan'), '');
  writeFileSync(join(folder, 'service.bash'), bashScript(words));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What bash would offer for the last of these words, which it has split at "=" and ":" as it does. */
function offered(...line: string[]): string[] {
  const program = `source ./service.bash
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _service; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['--norc', '-c', program, 'bash', ...line], { cwd: folder, encoding: 'utf8' });
  return output.split('\n').filter((word) => word !== '');
}

describe('in bash', () => {
  it.each<[string, string[], string[]]>([
    ['commands', ['service', 'p'], ['plan', 'provider', 'profiles']],
    ['words of a topic', ['servicectl', 'keys', ''], ['create', 'list', 'delete']],
    ['flags of a command', ['service', 'plan', '--t'], ['--take-ownership']],
    ['flags of the program', ['service', '--v'], ['--version']],
    ['values of a flag', ['service', 'keys', 'create', 'ci', '--scope', 'd'], ['decisions']],
    ['values behind "="', ['service', 'keys', 'create', 'ci', '--scope', '=', 'd'], ['decisions']],
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
      'service keys ',
      ['create', 'delete', 'list'],
    ],
    ['words of a topic under the other name', 'servicectl keys ', ['create', 'delete', 'list']],
    ['values', 'service completion ', ['bash', 'fish', 'zsh']],
  ])('completes %s', (_, line, expected) => {
    const completions = join(folder, 'fish', 'completions');
    mkdirSync(completions, { recursive: true });
    for (const program of ['service', 'servicectl']) {
      writeFileSync(join(completions, `${program}.fish`), fishScript(words));
      // fish looks for the file of a program only where there is the program.
      writeFileSync(join(folder, program), '', { mode: 0o755 });
    }
    const PATH = `${folder}:${process.env.PATH}`;
    const env = { ...process.env, PATH, HOME: folder, XDG_CONFIG_HOME: folder };
    const output = execFileSync('fish', ['-c', `complete -C '${line}'`], { cwd: folder, encoding: 'utf8', env });
    expect(
      output
        .trimEnd()
        .split('\n')
        .map((offer) => offer.split('\t')[0]),
    ).toEqual(expected);
  });
});

describe('for other shells', () => {
  it.each([
    ['zsh', zshScript],
    ['fish', fishScript],
  ])('%s knows every command and every flag', (_, script) => {
    const text = script(words);
    for (const { id, flags } of words) {
      for (const word of id.split(' ')) expect(text).toContain(word);
      for (const flag of flags) expect(text).toContain(flag.names[0]?.slice(2) ?? '');
    }
  });
});
