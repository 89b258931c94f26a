import * as z from 'zod';
import { type OrderRange, OrderRanges } from './order-ranges.js';

/** Lines of one process that are not in the log. */
export interface MissingLines extends OrderRange {
  process: string;
}

/** Lines that the log itself says are lost. */
export interface LostLines extends MissingLines {
  lost: number;
  from: string;
  to: string;
  cause: string;
}

export interface CompletenessReport {
  lines: number;
  /** Lines that came again. */
  repeated: number;
  processes: { process: string; first: number; last: number }[];
  gaps: LostLines[];
  /** Lines that are not there, and of which no gap tells. */
  missing: MissingLines[];
  /** Lines that came after a later one of their process: how many, and the first. */
  disordered: { count: number; first?: string };
  /** Lines that are none of a log: how many, and the first. */
  unreadable: { count: number; first?: string };
}

const ID = /^([^\s.]+)\.([1-9]\d{0,14})$/;
const id = z.string().regex(ID);
const lineSchema = z.object({ id, after: id.optional() });
const gapSchema = z.object({
  ...{ msg: z.literal('gap'), lost: z.int().positive(), first: id, last: id },
  ...{ from: z.string(), to: z.string(), cause: z.string() },
});

interface KnownProcess {
  /** The lines that are there. */
  seen: OrderRanges;
  /** These, and those of which a gap or another process tells. */
  named: OrderRanges;
  latest: number;
}

/** Finds what is missing in a log whose processes number their lines. */
export class Completeness {
  readonly #processes = new Map<string, KnownProcess>();
  readonly #gaps: LostLines[] = [];
  readonly #gapTexts = new Set<string>();
  /** The last lines of processes, as those that came after them say. */
  readonly #ends: { process: string; order: number }[] = [];
  readonly #report = { lines: 0, repeated: 0, disordered: { count: 0 }, unreadable: { count: 0 } } as Omit<
    CompletenessReport,
    'processes' | 'gaps' | 'missing'
  >;

  get report(): CompletenessReport {
    for (const { process, order } of this.#ends) {
      this.#known(process).named.add({ first: order + 1, last: order + 1 });
    }
    const processes = [...this.#processes].flatMap(([process, { seen }]) => {
      const { first, last } = seen;
      return first === undefined || last === undefined ? [] : [{ process, first, last }];
    });
    const missing = [...this.#processes].flatMap(([process, { named }]) =>
      named.holes().map((range) => ({ process, ...range })),
    );
    return { ...this.#report, processes, gaps: this.#gaps, missing };
  }

  /** Takes a line. `place` is shown, `FILE:NUMBER`. What stands before the first brace, as syslog writes it, does not count. */
  take(text: string, place: string): void {
    if (text.trim() === '') return;
    const value = jsonOf(text.slice(Math.max(0, text.indexOf('{'))));
    const gap = gapSchema.safeParse(value).data;
    if (gap !== undefined && isRange(gap)) {
      this.#takeGap(gap);
      return;
    }
    const line = lineSchema.safeParse(value).data;
    if (line === undefined) {
      this.#report.unreadable.count += 1;
      this.#report.unreadable.first ??= place;
      return;
    }
    this.#report.lines += 1;
    const { process, order } = parsed(line.id);
    if (line.after !== undefined) this.#ends.push(parsed(line.after));
    const known = this.#known(process);
    if (known.seen.has(order)) {
      this.#report.repeated += 1;
      return;
    }
    known.seen.add({ first: order, last: order });
    known.named.add({ first: order, last: order });
    if (order < known.latest) {
      this.#report.disordered.count += 1;
      this.#report.disordered.first ??= place;
    }
    known.latest = Math.max(known.latest, order);
  }

  #takeGap(gap: z.infer<typeof gapSchema>): void {
    const { lost, from, to, cause } = gap;
    const { process, order: first } = parsed(gap.first);
    const { order: last } = parsed(gap.last);
    const text = `${gap.first} ${gap.last}`;
    if (this.#gapTexts.has(text)) return;
    this.#gapTexts.add(text);
    this.#gaps.push({ process, first, last, lost, from, to, cause });
    this.#known(process).named.add({ first, last });
  }

  #known(process: string): KnownProcess {
    const known = this.#processes.get(process) ?? { seen: new OrderRanges(), named: new OrderRanges(), latest: 0 };
    this.#processes.set(process, known);
    return known;
  }
}

/** Whether a gap lies in one process, and does not end before it begins. */
function isRange(gap: z.infer<typeof gapSchema>): boolean {
  const [first, last] = [parsed(gap.first), parsed(gap.last)];
  return first.process === last.process && first.order <= last.order;
}

function parsed(text: string): { process: string; order: number } {
  const [, process = '', order] = ID.exec(text) ?? [];
  return { process, order: Number(order) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
