import { stripVTControlCharacters } from 'node:util';
import type { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import { CommandHelp, HelpFormatter } from '@oclif/core/help';
import { COMMANDS, type CommandClass, SECTIONS, TOPICS } from '../command-table.js';
import { out } from '../output/terminal.js';

type Load = (id: string) => Promise<CommandClass>;

/** Help is read beside code: long lines are folded at this width even on a wide screen. */
const WIDEST = 100;
const options = { flagSortOrder: 'none', hideCommandSummaryInDescription: false } as const;

/** oclif's page of a command, in the order in which a person reads: what it does, how to call it, why. */
class CommandPage extends CommandHelp {
  protected override defaultUsage(): string {
    const words = Object.entries(this.command.args ?? {}).map(([name, argument]) =>
      argument.required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
    );
    const required = Object.entries(this.command.flags ?? {}).flatMap(([name, flag]) =>
      flag.required && flag.type === 'option' ? [`--${name}=${String(flag.helpValue ?? '<value>')}`] : [],
    );
    return [this.command.id, ...words, ...required, '[FLAGS]'].join(' ');
  }

  /** Folds each paragraph at the reader's width; what is indented (a file, a list) stays as it is. */
  protected override description(): string | undefined {
    const paragraphs = (this.command.description ?? '').split(/\n\n+/);
    const folded = paragraphs.map((part) => (/^\s/m.test(part) ? part : this.wrap(part.replaceAll('\n', ' '))));
    return folded.join('\n\n') || undefined;
  }

  /** A long command line is broken before a flag, never between a flag and its value. */
  protected override examples(examples: Command.Example[] | undefined): string | undefined {
    const shown = (examples ?? []).map((example) => {
      if (typeof example === 'string') return example;
      const lines = [''];
      for (const part of example.command.split(/ (?=--)/)) {
        const last = lines.length - 1;
        const longer = lines[last] === '' ? part : `${lines[last]} ${part}`;
        if (lines[last] === '' || longer.length <= this.opts.maxWidth - 10) lines[last] = longer;
        else lines.push(part);
      }
      return `${example.description}\n  $ ${lines.join(' \\\n      ')}`;
    });
    return shown.join('\n\n') || undefined;
  }
}

export function commandHelp(config: Config, command: CommandClass): string {
  const page = new CommandPage(
    {
      ...describe(command),
      args: named(command.args),
      flags: named(ordered({ ...command.baseFlags, ...command.flags })),
      examples: command.examples,
    } as unknown as ConstructorParameters<typeof CommandHelp>[0],
    config,
    { ...options, maxWidth: maxWidth() },
  );
  return painted(`${command.summary ?? ''}\n\n${page.generate()}`);
}

export async function topicHelp(config: Config, topic: string, load: Load): Promise<string> {
  const ids = Object.keys(COMMANDS).filter((id) => id.startsWith(`${topic} `));
  const list = await Promise.all(
    ids.map(async (id): Promise<[string, string]> => [id, (await load(id)).summary ?? '']),
  );
  const page = new Page(config);
  const parts = [
    TOPICS[topic] ?? '',
    page.section('USAGE', `$ service ${topic} COMMAND`),
    page.list('COMMANDS', list),
    `"service ${topic} COMMAND --help" says more.`,
  ];
  return painted(parts.join('\n\n'));
}

export async function rootHelp(config: Config, load: Load): Promise<string> {
  const page = new Page(config);
  const sections = await Promise.all(
    SECTIONS.map(async ({ title, entries }) => {
      const rows = entries.map(
        async (id): Promise<[string, string]> => [id, TOPICS[id] ?? (await load(id)).summary ?? ''],
      );
      return page.list(title, await Promise.all(rows));
    }),
  );
  const parts = [
    'Who may do what, from records kept in Git: plan them, apply them, ask for decisions.',
    page.section('USAGE', '$ service COMMAND [FLAGS]'),
    ...sections,
    page.section('EXIT CODES', EXIT_CODES),
    page.section('ENVIRONMENT', page.wrap(ENVIRONMENT)),
    '"service COMMAND --help" says more. The program is also installed as "servicectl".',
  ];
  return painted(parts.join('\n\n'));
}

const EXIT_CODES = `0    done, or nothing to do
1    failed, or called wrongly
2    the other answer, where a flag asks for it: there are changes
     (plan --detailed-exitcode), it is denied (authorize --exit-code)
130  interrupted`;

const ENVIRONMENT = `SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET (or else SERVICE_API_KEY) say who calls, SERVICE_CLOUD_URL whom. \
Without them a profile in ~/.service/config.yaml does, chosen by --profile or SERVICE_PROFILE: see "service \
profiles --help". NO_COLOR turns colour off.`;

class Page extends HelpFormatter {
  constructor(config: Config) {
    super(config, { ...options, maxWidth: maxWidth() });
  }

  list(title: string, rows: [string, string][]): string {
    return this.section(title, this.renderList(rows, { indentation: 2, spacer: '\n' }));
  }
}

/** oclif paints by rules of its own; ours are the same for all output. */
function painted(text: string): string {
  return out.style.colour ? text : stripVTControlCharacters(text);
}

function maxWidth(): number {
  return Math.min(out.interactive ? out.columns : 80, WIDEST);
}

function describe(command: CommandClass): object {
  return {
    id: command.id,
    description: command.description,
    aliases: command.aliases,
    strict: command.strict,
  };
}

/**
 * Groups of flags appear in the order of their first flag, and oclif aligns a group by its first one too, which must
 * therefore have a letter if any has.
 */
function ordered<T extends { char?: string; helpGroup?: string }>(flags: Record<string, T>): Record<string, T> {
  const rank = (flag: T): number => (flag.helpGroup === 'GLOBAL' ? 2 : 0) + (flag.char === undefined ? 1 : 0);
  return Object.fromEntries(Object.entries(flags).sort(([, left], [, right]) => rank(left) - rank(right)));
}

function named<T extends object>(members: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, { ...member, name }]));
}
