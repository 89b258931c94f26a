import type { Log } from '../protocol/log.js';
import type { DiagnosticMessage } from '../protocol/messages.js';
import { type Diagnostic, diagnosticMessage, Refusal } from './diagnostics.js';
import type { Context } from './provider.js';
import type { Attributes } from './schema.js';

/**
 * Runs what one call of Terraform's asks for and collects what is to be shown. A refusal gives its own diagnostics;
 * whatever else is thrown is a fault of the provider: its text goes to the log only, since it may quote a secret.
 */
export class Calls {
  private readonly stopping = new AbortController();

  constructor(private readonly log: Log) {}

  /** Makes every running and later call's signal aborted. */
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
        found.push(
          fault(
            `${what} failed for a reason that the provider did not foresee; TF_LOG_PROVIDER=ERROR shows the cause.`,
          ),
        );
      }
    }
    const diagnostics = found.map((item) => diagnosticMessage(attributes, item));
    return value === undefined ? { diagnostics } : { value, diagnostics };
  }
}

/** Something that no configuration can cause. */
export function fault(detail: string): Diagnostic {
  return { severity: 'error', summary: 'Fault in the provider', detail: `${detail} Please report it.` };
}
