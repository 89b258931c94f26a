import { Command } from '@oclif/core/command';
import { boolean } from '@oclif/core/flags';
import { interruption } from './interruption.js';

/** What a command found or did: data for scripts, text for people. One place prints it. */
export interface Outcome {
  /** With `--json`, the one JSON document on stdout. Undefined where the command has already written its lines. */
  json: unknown;
  /** Else, the text on stdout; undefined prints nothing. */
  text?: string | undefined;
  /** Done is 0. A flag may ask for 2 as the other answer ("changes", "denied"); 1 is a failure. */
  exitCode?: number;
}

/** What all commands share: `--json`, and that they return their outcome instead of printing it. */
export abstract class ServiceCommand extends Command {
  static override baseFlags = {
    help: boolean({ char: 'h', description: 'Show this page.', helpGroup: 'GLOBAL' }),
    json: boolean({ description: 'Print the result, or the error, as JSON on stdout.', helpGroup: 'GLOBAL' }),
  };

  /** Servers stop by themselves on a signal; every other command gives up with exit code 130. */
  static handlesSignals = false;

  /** Aborted by Ctrl-C. */
  protected readonly signal: AbortSignal = interruption.signal;

  abstract override run(): Promise<Outcome>;

  /** Errors are rendered in one place, for all commands alike. */
  protected override async catch(error: Error): Promise<never> {
    throw error;
  }
}
