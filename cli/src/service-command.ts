import { Command } from '@oclif/core/command';
import { boolean } from '@oclif/core/flags';
import { fail } from './errors/fail.js';
import { interruption, watchInterrupts } from './interruption.js';
import { out } from './output/terminal.js';
import { wantsJson } from './output/wants-json.js';

/** The outcome of a command: data for scripts, text for people. It is printed in one place. */
export interface Outcome {
  /** With `--json`: the one JSON document on stdout. Undefined if the command has already written its lines. */
  json: unknown;
  /** Without `--json`: the text on stdout; undefined prints nothing. */
  text?: string | undefined;
  /** Success is 0. A flag may ask for 2 ("changes", "denied") or 3 ("not enforced") as another outcome; 1 is a failure. */
  exitCode?: number;
}

/** The base of all commands: adds `--json`, and prints the outcome that a command returns. */
export abstract class ServiceCommand extends Command {
  static override baseFlags = {
    help: boolean({ char: 'h', description: 'Show this page.', helpGroup: 'GLOBAL' }),
    json: boolean({ description: 'Print the result, or the error, as JSON on stdout.', helpGroup: 'GLOBAL' }),
  };

  /** Servers stop by themselves on a signal; every other command ends with exit code 130. */
  static handlesSignals = false;

  /** Aborted by Ctrl-C. */
  protected readonly signal: AbortSignal = interruption.signal;

  /** Set once a command that prints Markdown has printed what it found, so that a failure adds nothing to it. */
  protected hasCommented = false;

  abstract override run(): Promise<Outcome>;

  protected override async _run<T>(): Promise<T> {
    const { handlesSignals } = this.ctor as typeof ServiceCommand;
    if (!handlesSignals) watchInterrupts();
    const outcome = await super._run<Outcome>();
    await this.#print(outcome);
    // A server has reported that it stopped; anything that its libraries still hold open must not keep the process
    // alive.
    if (handlesSignals) process.exit();
    return outcome as T;
  }

  protected override async catch(error: unknown): Promise<never> {
    const flags = Object.keys({ ...this.ctor.baseFlags, ...this.ctor.flags });
    const comments = flags.includes('markdown') && this.argv.includes('--markdown') && !this.hasCommented;
    return fail(
      error,
      { ...(this.id !== undefined && { id: this.id.replaceAll(':', ' ') }), flags, args: Object.keys(this.ctor.args) },
      wantsJson(this.argv) ? 'json' : comments ? 'markdown' : 'text',
    );
  }

  async #print({ json, text, exitCode = 0 }: Outcome): Promise<void> {
    if (!wantsJson(this.argv)) {
      if (text !== undefined) await out.line(text);
    } else if (json !== undefined) {
      await out.line(JSON.stringify(json, undefined, out.interactive ? 2 : undefined));
    }
    process.exitCode = exitCode;
  }
}
