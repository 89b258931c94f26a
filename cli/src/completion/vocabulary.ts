import { KINDS } from '@authz-service/core/records/kinds';
import type { FlagInput } from '@oclif/core/interfaces';
import { COMMANDS, type CommandClass, TOPICS } from '../command-table.js';
import { plural } from '../records/kind-argument.js';

/** What can be completed after a flag or as an argument. */
export type Expected = { words: readonly string[] } | 'file' | 'folder' | 'anything';

export interface CompletedFlag {
  /** With its dashes. */
  names: string[];
  summary: string;
  /** Of a flag that takes no value: undefined. */
  value?: Expected;
}

/** One place in the tree of words: a topic with words after it, or a command with flags and arguments. */
export interface CompletedCommand {
  /** The words before, joined by a space; empty for the program itself. */
  id: string;
  next: { word: string; summary: string }[];
  flags: CompletedFlag[];
  arguments: Expected[];
}

/** All that a shell needs to know of the program, read off the commands themselves. */
export async function vocabulary(load: (id: string) => Promise<CommandClass>): Promise<CompletedCommand[]> {
  const ids = Object.keys(COMMANDS);
  const summaries = new Map(Object.entries(TOPICS));
  const leaves: CompletedCommand[] = [];
  for (const id of ids) {
    const command = await load(id);
    summaries.set(id, command.summary ?? '');
    leaves.push({ id, next: [], flags: flagsOf(command), arguments: argumentsOf(command) });
  }
  const children = (parent: string): { word: string; summary: string }[] => {
    const depth = parent === '' ? 0 : parent.split(' ').length;
    const below = ids.filter((id) => parent === '' || id.startsWith(`${parent} `)).map((id) => id.split(' '));
    const words = [...new Set(below.map((parts) => parts[depth] ?? ''))];
    return words.map((word) => ({ word, summary: summaries.get(parent === '' ? word : `${parent} ${word}`) ?? '' }));
  };
  const topics = ['', ...Object.keys(TOPICS)];
  return [
    ...topics.map((id) => ({ id, next: children(id), flags: id === '' ? PROGRAM_FLAGS : [], arguments: [] })),
    ...leaves,
  ];
}

const PROGRAM_FLAGS: CompletedFlag[] = [
  { names: ['--help', '-h'], summary: 'Show what there is.' },
  { names: ['--version', '-V'], summary: 'Show the version.' },
];

function flagsOf(command: CommandClass): CompletedFlag[] {
  const flags = { ...command.flags, ...command.baseFlags } as FlagInput;
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

function argumentsOf(command: CommandClass): Expected[] {
  return Object.entries(command.args).map(([name, argument]) => {
    if (argument.options) return { words: argument.options.map(String) };
    if (name === 'kind') return { words: KINDS.map((kind) => plural(kind).replaceAll('_', '-')) };
    if (name === 'dir') return 'folder';
    return name === 'tree' ? 'file' : 'anything';
  });
}
