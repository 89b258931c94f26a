import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type LogLine, lineId } from './log-line.js';

/** Why lines are not in the log: its store had no room for them, or the receiver refused them for good. */
export type GapCause = 'full' | 'refused';

/** The lines of one process that one sink has lost. */
export interface Gap {
  process: string;
  /** The order numbers of the first and the last of them. */
  first: number;
  last: number;
  lost: number;
  /** The times of the first and the last of them. */
  from: string;
  to: string;
  cause: GapCause;
}

/** The line of the log that tells of a gap. */
export function gapText({ process, first, last, lost, from, to, cause }: Gap): string {
  const [firstId, lastId] = [lineId(process, first), lineId(process, last)];
  const line = { time: new Date().toISOString(), level: 'WARN', msg: 'gap', lost, first: firstId, last: lastId };
  return `${JSON.stringify({ ...line, from, to, cause })}\n`;
}

const NOTE = /^gap-[0-9a-z]+\.json$/;
const gapSchema = z.object({
  ...{ process: z.string(), first: z.int(), last: z.int(), lost: z.int() },
  ...{ from: z.string(), to: z.string(), cause: z.enum(['full', 'refused']) },
});

/** The gap in a note; undefined if it holds none or is damaged, as after a loss of power. */
function gapIn(text: string): Gap | undefined {
  try {
    return gapSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Notes are padded to this size, so that changing one takes no room on a full disk. */
const NOTE_BYTES = 512;

/**
 * The gaps that the log does not yet tell of. Given a folder, they are noted there as they grow, and survive the end of the
 * process.
 */
export class Gaps {
  readonly #open: Gap[] = [];
  #note: number | undefined;

  constructor(
    private readonly folder: string | undefined,
    private readonly process: string,
  ) {
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder).filter((one) => NOTE.test(one))) {
      const text = readFileSync(join(folder, name), 'utf8').trim();
      const gap = gapIn(text);
      if (gap === undefined) rmSync(join(folder, name));
      else this.#open.push(gap);
    }
    this.#note = openSync(join(folder, `gap-${process}.json`), 'w', 0o600);
    this.#write('');
  }

  /** The oldest first. */
  get untold(): readonly Gap[] {
    return [...this.#open];
  }

  /** The last line that is lost and not told of; undefined if there is none. */
  get lastId(): string | undefined {
    const gap = this.#open.at(-1);
    return gap && lineId(gap.process, gap.last);
  }

  /** Notes that a line is lost because there was no room. */
  extend({ process, order, time }: LogLine): void {
    const gap = this.#open.find((one) => one.process === process);
    if (gap === undefined) {
      this.#open.push({ process, first: order, last: order, lost: 1, from: time, to: time, cause: 'full' });
    } else {
      Object.assign(gap, { last: order, to: time, lost: gap.lost + 1 });
    }
    this.#write(JSON.stringify(this.#open.at(-1)));
  }

  /** Forgets the first gap, since the log tells of it now. */
  told(): void {
    const gap = this.#open.shift();
    if (gap === undefined || this.folder === undefined) return;
    if (gap.process === this.process) this.#write('');
    else rmSync(join(this.folder, `gap-${gap.process}.json`), { force: true });
  }

  close(): void {
    if (this.#note === undefined || this.folder === undefined) return;
    closeSync(this.#note);
    this.#note = undefined;
    if (this.#open.length === 0) rmSync(join(this.folder, `gap-${this.process}.json`), { force: true });
  }

  #write(text: string): void {
    if (this.#note === undefined) return;
    try {
      writeSync(this.#note, `${text.padEnd(NOTE_BYTES - 1)}\n`, 0);
    } catch {
      // A disk that is full since before the start: the gap stays in memory.
    }
  }
}
