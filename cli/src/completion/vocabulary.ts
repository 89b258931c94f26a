import { KINDS } from '@authz-service/core/records/kinds';
import type { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import { plural } from '../records/kind-argument.js';

/** The completions of a flag's value or an argument. */
export type Expected = { words: readonly string[] } | 'file' | 'folder' | 'anything';

export interface CompletedFlag {
  /** The names, with their dashes. */
  names: string[];
  summary: string;
  /** Undefined for a flag without a value. */
  value?: Expected;
}

/** One place in the tree of words: a topic with words after it, or a command with flags and arguments. */
export interface CompletedCommand {
  /** The words before it, joined by a space; empty for the program itself. */
  id: string;
  next: { word: string; summary: string }[];
  flags: CompletedFlag[];
  arguments: Expected[];
}

/** Everything that a shell needs to know of the program, from oclif's list of commands. */
export function vocabulary(config: Config): CompletedCommand[] {
  const commands = config.commands
    .filter(({ hidden }) => !hidden)
    .map((command) => ({ ...command, id: command.id.replaceAll(':', ' ') }))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
  // oclif also lists commands as topics.
  const topics = config.topics
    .map(({ name, description = '' }) => ({ id: name.replaceAll(':', ' '), summary: description }))
    .filter(({ id }) => commands.some((command) => command.id.startsWith(`${id} `)));
  const said = [...commands, ...topics].map(({ id, summary = '' }) => ({ words: id.split(' '), summary }));
  const next = (id: string): CompletedCommand['next'] => {
    const above = id === '' ? [] : id.split(' ');
    const below = said.filter(
      ({ words }) => words.length === above.length + 1 && above.every((word, at) => word === words[at]),
    );
    return below.map(({ words, summary }) => ({ word: words.at(-1) ?? '', summary }));
  };
  return [
    { id: '', next: next(''), flags: PROGRAM_FLAGS, arguments: [] },
    ...topics.map(({ id }) => ({ id, next: next(id), flags: [], arguments: [] })),
    ...commands.map((command) => ({
      id: command.id,
      next: [],
      flags: flagsOf(command),
      arguments: argumentsOf(command),
    })),
  ];
}

const PROGRAM_FLAGS: CompletedFlag[] = [
  { names: ['--help', '-h'], summary: 'Show the commands.' },
  { names: ['--version', '-V'], summary: 'Show the version.' },
];

function flagsOf({ flags }: Command.Cached): CompletedFlag[] {
  return Object.entries(flags).map(([name, flag]) => ({
    names: [`--${name}`, ...(flag.char ? [`-${flag.char}`] : [])],
    summary: flag.description ?? '',
    ...(flag.type === 'option' && {
      value: flag.options ? { words: flag.options } : byHelpValue(String(flag.helpValue)),
    }),
  }));
}

function byHelpValue(text: string): Expected {
  if (text === 'FILE' || text === 'PATH') return 'file';
  return text === 'DIR' ? 'folder' : 'anything';
}

function argumentsOf({ args }: Command.Cached): Expected[] {
  return Object.entries(args).map(([name, argument]) => {
    if (argument.options) return { words: argument.options.map(String) };
    if (name === 'kind') return { words: KINDS.map((kind) => plural(kind).replaceAll('_', '-')) };
    if (name === 'dir') return 'folder';
    return name === 'tree' ? 'file' : 'anything';
  });
}
