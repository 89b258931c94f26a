import * as z from 'zod';
import type { Engine } from '../../access/api/engine.js';
import { parseJson } from '../../json/parse-json.js';
import { ProblemError } from '../../problem.js';
import { entityText } from '../../records/entity-text.js';
import { decisionInputsSchema, requestOf } from './decision-inputs.js';

/** A decision, or that it could not be made, with the address of the deciding policy if there is one. */
export interface ReplayedOutcome {
  outcome: 'allow' | 'deny' | 'failed';
  policy?: string;
}

/** Changed decisions with the same deciding policies. */
export interface ReplayCause {
  before: ReplayedOutcome;
  after: ReplayedOutcome;
  count: number;
  /** The first of them. */
  examples: { line: number; subject: string; action: string; resource: string; reason: string }[];
}

export interface ReplayReport {
  /** Lines of the decision log; others in the file do not count. */
  decisions: number;
  replayed: number;
  changed: number;
  /** Decided alike, by another policy. */
  other_policy: number;
  not_replayable: {
    /** Logged without inputs. */
    without_inputs: number;
    /** A value that was masked would have been read. */
    masked: number;
    /** Lines that hold no JSON, or no inputs of the form of the decision log. */
    unreadable: number;
  };
  /** The most frequent first. */
  causes: ReplayCause[];
}

const EXAMPLES_MAX = 3;

const lineSchema = z.object({
  msg: z.literal('decision'),
  decision: z.boolean(),
  failed: z.boolean().optional(),
  policy: z.string().optional(),
  inputs: z.unknown().optional(),
});

/** Makes logged decisions again. */
export class Replay {
  readonly #report: Omit<ReplayReport, 'causes'> = {
    ...{ decisions: 0, replayed: 0, changed: 0, other_policy: 0 },
    not_replayable: { without_inputs: 0, masked: 0, unreadable: 0 },
  };
  readonly #causes = new Map<string, ReplayCause>();

  constructor(private readonly engine: Engine) {}

  /** The report on the lines so far. */
  get report(): ReplayReport {
    const causes = [...this.#causes.values()].sort((left, right) => right.count - left.count);
    return { ...this.#report, causes };
  }

  /** Takes one line of a log; its number counts from 1. */
  take(text: string, number: number): void {
    if (text.trim() === '') return;
    const lost = this.#report.not_replayable;
    const value = jsonOf(text);
    if (value === undefined) {
      lost.unreadable++;
      return;
    }
    const line = lineSchema.safeParse(value).data;
    if (line === undefined) return;
    this.#report.decisions++;
    if (line.inputs === undefined) {
      lost.without_inputs++;
      return;
    }
    const inputs = decisionInputsSchema.safeParse(line.inputs).data;
    if (inputs === undefined) {
      lost.unreadable++;
      return;
    }
    let readMasked = false;
    const request = requestOf(inputs, () => {
      readMasked = true;
    });
    const { reason, ...after } = this.#decide(request, Date.parse(inputs.now));
    if (readMasked) {
      lost.masked++;
      return;
    }
    this.#report.replayed++;
    const { policy } = line;
    const outcome = line.failed ? 'failed' : line.decision ? 'allow' : 'deny';
    const before: ReplayedOutcome = { outcome, ...(policy !== undefined && policy !== '' && { policy }) };
    if (before.outcome === after.outcome) {
      if (before.policy !== after.policy) this.#report.other_policy++;
      return;
    }
    this.#report.changed++;
    const key = JSON.stringify([before, after]);
    const cause = this.#causes.get(key) ?? { before, after, count: 0, examples: [] };
    this.#causes.set(key, cause);
    cause.count++;
    if (cause.examples.length === EXAMPLES_MAX) return;
    const { subject, resource, action } = inputs;
    cause.examples.push({
      line: number,
      subject: entityText('subject', { type: subject.type, name: subject.id }),
      action: action.name,
      resource: entityText('resource', { type: resource.type, name: resource.name ?? resource.id ?? '' }),
      reason,
    });
  }

  #decide(request: Parameters<Engine['decide']>[0], now: number): ReplayedOutcome & { reason: string } {
    try {
      const { decision, policy, reason } = this.engine.decide(request, now);
      return { outcome: decision ? 'allow' : 'deny', ...(policy !== undefined && { policy }), reason };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { outcome: 'failed', reason: error.detail };
    }
  }
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
