import type { Terminal } from './terminal.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** Work that finishes sooner shows no progress. */
const PATIENCE_MS = 400;
/** Without a terminal: how long a phase lasts before a line reports it, and then how often again. */
const LINE_MS = 5000;

/** Comparing more records than this takes so long that a terminal should say it beforehand. */
export const MANY_RECORDS = 10_000;

/** Reports long work on stderr: with a moving line on a terminal, and with occasional lines in a log. */
export class Progress {
  #text = '';
  #since = 0;
  #lineAt = LINE_MS;
  #shown = false;
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;
  #paintedAt = 0;
  readonly #begun = performance.now();

  constructor(private readonly terminal: Terminal) {}

  /** Begins the next phase: "Applying 10,000 changes". */
  phase(text: string): void {
    this.#text = text;
    this.#since = performance.now();
    this.#lineAt = LINE_MS;
    this.#timer ??= setInterval(() => this.#tick(), FRAME_MS).unref();
  }

  /**
   * Reports how far the phase has come. If an output is due, it is written at once: work that blocks the timer calls
   * this between its steps. Before a step that is `long` an output is always due.
   */
  step(text: string, long = false): void {
    this.#text = text;
    const now = performance.now();
    if (!this.terminal.erasable) return;
    if (long || (now - this.#begun >= PATIENCE_MS && now - this.#paintedAt >= FRAME_MS)) this.#paint();
  }

  done(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clear();
  }

  /** Writes a separate line in place of the moving one. */
  say(line: string): Promise<void> {
    this.#clear();
    return this.terminal.line(line);
  }

  warning(text: string): Promise<void> {
    this.#clear();
    return this.terminal.warning(text);
  }

  #clear(): void {
    if (this.#shown) void this.terminal.raw('\r\u001B[2K');
    this.#shown = false;
  }

  #tick(): void {
    const elapsed = performance.now() - this.#since;
    const seconds = Math.floor(elapsed / 1000);
    if (this.terminal.erasable) {
      if (elapsed < PATIENCE_MS) return;
      this.#paint();
    } else if (elapsed >= this.#lineAt) {
      void this.terminal.line(`${this.#text} … ${seconds} s`);
      this.#lineAt *= 2;
    }
  }

  #paint(): void {
    const seconds = Math.floor((performance.now() - this.#since) / 1000);
    this.#frame = (this.#frame + 1) % FRAMES.length;
    const line = `${FRAMES[this.#frame]} ${this.#text} …${seconds > 0 ? ` ${seconds} s` : ''}`;
    void this.terminal.raw(`\r\u001B[2K${this.terminal.style('cyan', line)}`);
    this.#shown = true;
    this.#paintedAt = performance.now();
  }
}
