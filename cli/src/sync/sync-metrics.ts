import { SYNC_STATES, type SyncStatus } from '@authz-service/core/sync/sync-status';
import { Counter, Gauge, Registry } from 'prom-client';

/** The metrics of a controller. */
export class SyncMetrics {
  readonly registry = new Registry();
  readonly #turns = this.#counter('service_sync_turns_total', 'Looks at a stack, by outcome.', ['stack', 'outcome']);
  readonly #reports = this.#counter('service_sync_report_failures_total', 'Reports to a forge that failed.', ['stack']);
  readonly #leader = this.#gauge('service_sync_leader', 'Whether this controller applies the stack.', ['stack']);
  readonly #ready = this.#gauge(
    'service_sync_ready',
    'Whether the stack is applied and every live agent enforces it.',
    ['stack'],
  );
  readonly #state = this.#gauge('service_sync_state', 'The state of the stack: 1 for the one that it is in.', [
    'stack',
    'state',
  ]);
  readonly #since = this.#gauge(
    'service_sync_state_since_timestamp_seconds',
    'The time since which that state lasts.',
    ['stack'],
  );

  turned(stack: string, outcome: 'done' | 'failed' | 'crashed'): void {
    this.#turns.inc({ stack, outcome });
  }

  reportFailed(stack: string): void {
    this.#reports.inc({ stack });
  }

  leads(stack: string, isLeader: boolean): void {
    this.#leader.set({ stack }, isLeader ? 1 : 0);
  }

  show(stack: string, { state, ready, since }: SyncStatus): void {
    this.#ready.set({ stack }, ready ? 1 : 0);
    for (const one of SYNC_STATES) this.#state.set({ stack, state: one }, one === state ? 1 : 0);
    this.#since.set({ stack }, Date.parse(since) / 1000);
  }

  #counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #gauge<L extends string>(name: string, help: string, labelNames: L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }
}
