import type { Delivery } from './delivery.js';
import { type Gaps, gapText } from './gaps.js';
import type { LineStore } from './line-store.js';
import type { LogLine } from './log-line.js';
import type { SinkLog } from './sink-log.js';
import type { SinkSettings } from './sink-settings.js';

export interface SinkParts {
  settings: SinkSettings;
  store: LineStore & { close?(): void };
  gaps: Gaps;
  delivery?: Delivery;
  log: SinkLog;
}

/** One place that a log goes to. What it loses stands in it as a gap. */
export class Sink {
  readonly #parts: SinkParts;
  #lost = 0;
  #isLosing = false;

  constructor(parts: SinkParts) {
    this.#parts = parts;
    parts.store.onRoom = () => this.#tellGaps();
    this.#tellGaps();
  }

  get name(): string {
    return this.#parts.settings.name;
  }

  /** Whether decisions wait for it. */
  get blocks(): boolean {
    return this.#parts.settings.whenFull === 'block';
  }

  get lostLines(): number {
    return this.#lost;
  }

  get queuedBytes(): number {
    return this.#parts.store.queuedBytes;
  }

  /** Returns false if the line is lost. */
  write(line: LogLine): boolean {
    // Who waits for room has waited before the decision.
    if (this.#writeAfterGaps(line.text, this.blocks)) return true;
    this.#parts.gaps.extend(line);
    this.#lost += 1;
    if (!this.#isLosing) {
      this.#parts.log.error({ sink: this.name }, 'decision log lines are being dropped: the sink has no room');
    }
    this.#isLosing = true;
    return false;
  }

  /** Resolves once a sink that blocks has room; undefined if nobody has to wait. */
  room(): Promise<void> | undefined {
    return this.blocks ? this.#parts.store.room() : undefined;
  }

  /** Counts a line that the receiver will never take, of which the store tells already. */
  refused(error: Error): void {
    this.#lost += 1;
    this.#parts.log.error({ sink: this.name, error: error.message }, 'the receiver of the decision log refuses a line');
  }

  async close(deadlineMs: number): Promise<void> {
    const { delivery, store, gaps } = this.#parts;
    this.#tellGaps();
    await delivery?.close(deadlineMs);
    this.#tellGaps();
    store.close?.();
    gaps.close();
  }

  #tellGaps(): void {
    if (this.#parts.gaps.untold.length > 0) this.#writeAfterGaps('', false);
  }

  /**
   * Writes a line, and before it the gaps that the log does not yet tell of: all or nothing, or each lost line would become a gap
   * of its own where a short line still finds room.
   */
  #writeAfterGaps(text: string, beyondBound: boolean): boolean {
    const { store, gaps } = this.#parts;
    const untold = gaps.untold;
    if (!store.write(untold.map(gapText).join('') + text, beyondBound)) return false;
    for (const { lost, first, last } of untold) {
      gaps.told();
      const fields = { sink: this.name, dropped: lost, first, last };
      this.#parts.log.warn(fields, 'decision log lines were dropped: the sink had no room');
    }
    this.#isLosing = false;
    return true;
  }
}
