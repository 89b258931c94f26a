import type { AccessPathKind } from '@authz-service/core/access/api/decision';
import { maskedInputs } from '@authz-service/core/questions/replay/decision-inputs';
import type { DecisionRequest } from '@authz-service/core/request';
import type { LineWriter } from './line-writer.js';
import type { Logger } from './log.js';

/** One decision, as it is logged. */
export interface DecisionEntry {
  subjectId: string;
  resourceId: string;
  action: string;
  decision: boolean;
  reason: string;
  accessPath: AccessPathKind;
  policyId: string;
  /** The evaluation time. */
  ms: number;
  /** The address of the deciding policy. */
  policy: string;
  /** Whether no decision could be made. */
  failed: boolean;
  /** Absent if nothing was evaluated. */
  request?: DecisionRequest | undefined;
  /** The clock of the decision, in milliseconds since the epoch. */
  now: number;
}

/**
 * Writes the decision log: every call of `/v1/authorize`, and every evaluation of a batch, is a line with all fields.
 * So is a refused or failed one; its reason is the problem's detail. `resource_id` is the id of the record that the
 * resource was resolved to, by id or by name; otherwise the id in the request; otherwise, like every unknown field, an
 * empty text. With inputs, a line also holds the address of the deciding policy and what `servicectl replay` needs.
 *
 * Answers come before lines: if nobody reads standard output, lines are dropped, and the log says how many.
 */
export class DecisionLog {
  #dropping = false;

  constructor(
    private readonly writer: LineWriter,
    private readonly log: Logger,
    /** The paths of inputs that are not logged; if absent, no inputs are. */
    private readonly masks?: readonly string[],
  ) {}

  write(entry: DecisionEntry): void {
    const line = {
      time: new Date().toISOString(),
      level: 'INFO',
      msg: 'decision',
      subject_id: entry.subjectId,
      resource_id: entry.resourceId,
      action: entry.action,
      decision: entry.decision,
      reason: entry.reason,
      access_path: entry.accessPath,
      policy_id: entry.policyId,
      ms: Math.round(entry.ms * 1000) / 1000,
      ...this.#inputs(entry),
    };
    const written = this.writer.write(`${JSON.stringify(line)}\n`);
    if (written && this.#dropping) {
      this.log.warn(
        { dropped: this.writer.takeDropped() },
        'decision log lines were dropped: they were not read in time',
      );
    } else if (!written && !this.#dropping) {
      this.log.error('decision log lines are being dropped: standard output is not read');
    }
    this.#dropping = !written;
  }

  /** Returns what makes a line replayable: the deciding policy by its address, and the inputs of the decision. */
  #inputs({ request, policy, failed, now }: DecisionEntry): object {
    if (this.masks === undefined || request === undefined) return {};
    return { policy, ...(failed && { failed }), inputs: maskedInputs(request, now, this.masks) };
  }
}
