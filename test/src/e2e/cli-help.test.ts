import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workbench } from './cli/workbench.js';

/** The commands as oclif knows them; the build writes the file. */
const manifest = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../../cli/oclif.manifest.json', import.meta.url)), 'utf8'),
) as { commands: Record<string, Command> };

interface Command {
  args: Record<string, { required?: boolean }>;
  flags: Record<string, { char?: string; type: string; multiple?: boolean }>;
}

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
});
afterAll(() => bench.close());

const commands = Object.entries(manifest.commands).map(([id, command]) => [id.replaceAll(':', ' '), command] as const);

describe('every command', () => {
  it('keeps the words, arguments and flags that scripts use', () => {
    const lines = commands.map(([id, { args, flags }]) => {
      const words = Object.entries(args).map(([name, { required }]) => (required ? name : `[${name}]`));
      const options = Object.entries(flags)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, { char, type, multiple }]) => {
          const letter = char === undefined ? '' : `-${char}|`;
          return `${letter}--${name}${type === 'option' ? '=' : ''}${multiple ? '…' : ''}`;
        });
      return [id, ...words.map((word) => word.toUpperCase()), ...options].join(' ');
    });
    expect(lines.sort()).toMatchSnapshot();
  });
});

describe('help', () => {
  it.each([
    ['the program', ['--help']],
    ['a topic', ['keys']],
    ['a command', ['plan', '--help']],
    ['a command with many flags', ['help', 'authorize']],
  ])('of %s, within 80 columns', async (_, args) => {
    const { code, stdout, stderr } = await bench.run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout.replace(/^ {2}@authz-service\/cli\/.*$/m, '  VERSION')).toMatchSnapshot();
  });
});
