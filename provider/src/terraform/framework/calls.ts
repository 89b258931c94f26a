import type { Log } from '../protocol/log.js';
import type { DiagnosticMessage } from '../protocol/messages.js';
import { type Diagnostic, diagnosticMessage, Refusal } from './diagnostics.js';
import type { Context } from './provider.js';
import type { Attributes } from './schema.js';

/**
 * Runs the work of one call from Terraform and collects the diagnostics to show. A refusal brings its own diagnostics.
 * Anything else that is thrown is a fault of the provider: its text goes only to the log, since it may quote a secret.
 */
export class Calls {
  private readonly stopping = new AbortController();

  constructor(private readonly log: Log) {}

  /** Aborts the signal of every running and later call. */
  stop(): void {
    this.stopping.abort();
  }

  async run<T>(
    what: string,
    attributes: Attributes,
    work: (context: Context) => Promise<T> | T,
  ): Promise<{ value?: T; diagnostics: DiagnosticMessage[] }> {
    const found: Diagnostic[] = [];
    const context: Context = {
      signal: this.stopping.signal,
      log: this.log,
      report: (diagnostic) => found.push(diagnostic),
    };
    let value: T | undefined;
    try {
      value = await work(context);
    } catch (error) {
      if (error instanceof Refusal) found.push(...error.diagnostics);
      else {
        this.log.log('error', 'provider fault', { what, error: error instanceof Error ? error.stack : String(error) });
        found.push(fault(`${what} failed for an unexpected reason; TF_LOG_PROVIDER=ERROR shows the cause.`));
      }
    }
    const diagnostics = found.map((item) => diagnosticMessage(attributes, item));
    return value === undefined ? { diagnostics } : { value, diagnostics };
  }
}

/** A fault that no configuration can cause. */
export function fault(detail: string): Diagnostic {
  return { severity: 'error', summary: 'Fault in the provider', detail: `${detail} Please report it.` };
}
