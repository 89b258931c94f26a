import { describe, expect, it } from 'vitest';
import { COMMANDS, SECTIONS, TOPICS } from './command-table.js';
import { route } from './route.js';

const IDS = ['plan', 'apply', 'keys create', 'keys list'];

describe('route', () => {
  it.each<[string, string[], object]>([
    ['nothing is a wish for help', [], { to: 'help', subject: '' }],
    ['--help', ['--help'], { to: 'help', subject: '' }],
    ['-h after a command', ['plan', 'dir', '-h'], { to: 'help', subject: 'plan' }],
    ['help before a command', ['help', 'keys', 'create'], { to: 'help', subject: 'keys create' }],
    ['a topic alone', ['keys'], { to: 'help', subject: 'keys' }],
    ['help on a topic', ['keys', '--help'], { to: 'help', subject: 'keys' }],
    ['--version', ['--version'], { to: 'version' }],
    ['--version is no wish of a command', ['plan', '--version'], { to: 'command', id: 'plan', argv: ['--version'] }],
    ['a command and its arguments', ['plan', 'd', '--json'], { to: 'command', id: 'plan', argv: ['d', '--json'] }],
    ['two words', ['keys', 'create', 'ci'], { to: 'command', id: 'keys create', argv: ['ci'] }],
    ['an argument named like a command', ['plan', 'plan'], { to: 'command', id: 'plan', argv: ['plan'] }],
    ['--help behind --', ['plan', '--', '--help'], { to: 'command', id: 'plan', argv: ['--', '--help'] }],
    ['a word nobody knows', ['pln'], { to: 'unknown', words: 'pln', known: ['plan', 'apply', 'keys'] }],
    ['a second word nobody knows', ['keys', 'mak'], { to: 'unknown', words: 'keys mak', known: ['create', 'list'] }],
    ['help on what is not there', ['help', 'keys', 'mak'], { to: 'unknown', words: 'keys mak' }],
    ['a flag before the command', ['--json', 'plan'], { to: 'misplaced-flag', flag: '--json' }],
    ['a flag after a topic', ['keys', '--json'], { to: 'misplaced-flag', flag: '--json' }],
  ])('%s', (_, argv, expected) => {
    expect(route(argv, IDS)).toMatchObject(expected);
  });
});

describe('the table of commands', () => {
  it('is shown in full by the root help, each entry once', () => {
    const entries = SECTIONS.flatMap((section) => section.entries);
    const roots = new Set(Object.keys(COMMANDS).map((id) => id.split(' ')[0]));
    expect(new Set(entries)).toEqual(roots);
    expect(entries).toHaveLength(roots.size);
  });

  it('has a line for every topic', () => {
    const topics = Object.keys(COMMANDS).flatMap((id) => (id.includes(' ') ? [id.split(' ')[0]] : []));
    expect(new Set(topics)).toEqual(new Set(Object.keys(TOPICS)));
  });

  it.each(Object.entries(COMMANDS))(
    '%s has a summary, an example and no argument from standard input',
    async (_, load) => {
      const { default: command } = await load();
      expect(command.summary).toMatch(/\.$/);
      expect(command.examples.length).toBeGreaterThan(0);
      for (const argument of Object.values(command.args)) expect(argument.ignoreStdin).toBe(true);
    },
  );

  it.each(Object.entries(COMMANDS))('%s takes no secret as a flag', async (_, load) => {
    const { default: command } = await load();
    expect(Object.keys(command.flags ?? {}).filter((name) => /secret|password|token|api-key/.test(name))).toEqual([]);
  });
});
