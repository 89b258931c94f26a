import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { COMMANDS, type CommandClass, TOPICS } from './command-table.js';
import { INTERRUPTED_EXIT_CODE, isInterruption, watchInterrupts } from './interruption.js';
import { err, out } from './output/terminal.js';
import { route } from './route.js';
import type { Outcome } from './service-command.js';

/**
 * The program `service`: finds the command, runs it, prints what it returns and sets the exit code. 0: done; 1: failed
 * or called wrongly; 2: the other answer, where a flag asks for it by exit code; 130: interrupted.
 */
export async function run(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  tameBrokenPipes();
  const json = wantsJson(argv);
  const target = route(argv, Object.keys(COMMANDS));
  let command: CommandClass | undefined;
  try {
    switch (target.to) {
      case 'version':
        await out.line(`service ${packageJson().version}`);
        return;
      case 'help':
        await out.line(await helpOn(target.subject));
        return;
      case 'unknown':
      case 'misplaced-flag': {
        const { wrongWord } = await import('./errors/wrong-word.js');
        throw wrongWord(target);
      }
      case 'command':
        command = await load(target.id);
        await print(await perform(command, target.argv), json);
        // A server has said that it stopped; what its libraries still hold open must not keep the process.
        if (command.handlesSignals) process.exit();
    }
  } catch (error) {
    await fail(error, json, command);
  }
}

async function load(id: string): Promise<CommandClass> {
  const { default: command } = (await COMMANDS[id]?.()) ?? {};
  if (command === undefined) throw new Error(`No module for the command "${id}".`);
  command.id = id;
  return command;
}

async function perform(command: CommandClass, argv: readonly string[]): Promise<Outcome> {
  if (!command.handlesSignals) watchInterrupts();
  return (await command.run([...argv], await oclifConfig())) as Outcome;
}

/** oclif without its discovery of plugins and commands: the table knows the commands. */
async function oclifConfig(): Promise<import('@oclif/core/config').Config> {
  const { Config } = await import('@oclif/core/config');
  const root = fileURLToPath(new URL('..', import.meta.url));
  const pjson = { ...packageJson(), oclif: { bin: 'service', dirname: 'service', topicSeparator: ' ' as const } };
  return Config.load({ root, pjson });
}

async function helpOn(subject: string): Promise<string> {
  const { commandHelp, rootHelp, topicHelp } = await import('./help/help.js');
  const config = await oclifConfig();
  if (subject === '') return rootHelp(config, load);
  return subject in TOPICS ? topicHelp(config, subject, load) : commandHelp(config, await load(subject));
}

async function print({ json: data, text, exitCode = 0 }: Outcome, json: boolean): Promise<void> {
  if (!json) {
    if (text !== undefined) await out.line(text);
  } else if (data !== undefined) {
    await out.line(JSON.stringify(data, undefined, out.interactive ? 2 : undefined));
  }
  process.exitCode = exitCode;
}

async function fail(error: unknown, json: boolean, command: CommandClass | undefined): Promise<void> {
  if (process.env.SERVICE_DEBUG)
    await err.line(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const { failureOf, renderFailure } = await import('./errors/failure.js');
  const flags = Object.keys({ ...command?.baseFlags, ...command?.flags });
  const failure = failureOf(error, { ...(command && { id: command.id }), flags });
  if (json) await out.line(JSON.stringify({ error: failure }, undefined, out.interactive ? 2 : undefined));
  else await err.line(renderFailure(failure, err.style));
  // What was under way beside the failure must not keep the process: a request that nobody waits for, say.
  process.exit(isInterruption(error) ? INTERRUPTED_EXIT_CODE : 1);
}

function packageJson(): { name: string; version: string } {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
}

/** Judged without the parser, since the parser itself may be what fails. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}

/** A reader such as `head` may close the pipe early: that is no fault, and what is under way still finishes. */
function tameBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
