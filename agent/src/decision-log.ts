import { randomBytes } from 'node:crypto';
import type { AccessPathKind } from '@authz-service/core/access/api/decision';
import type { Engine } from '@authz-service/core/access/api/engine';
import { maskedInputs } from '@authz-service/core/questions/replay/decision-inputs';
import type { DecisionRequest } from '@authz-service/core/request';
import { lineId } from '@authz-service/pdp/sinks/log-line';
import { type OpenedSink, openSink, type SinkSurroundings } from '@authz-service/pdp/sinks/open-sinks';
import type { Sink } from '@authz-service/pdp/sinks/sink';
import type { SinkSettings } from '@authz-service/pdp/sinks/sink-settings';
import { FULL_VERSION } from './version.js';

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
  /** The engine that decided, which knows what is sensitive. */
  engine?: Engine | undefined;
  ids: RequestIds;
}

/** The ids that join lines about one request. */
export interface RequestIds {
  /** Absent unless the caller has sent one. */
  request_id?: string;
  /** Both absent unless the request is traced. */
  trace_id?: string;
  span_id?: string;
}

export interface DecisionLogOptions extends Omit<SinkSurroundings, 'origin'> {
  sinks: readonly SinkSettings[];
  /** The paths of inputs that are not logged; if absent, no inputs are. */
  masks?: readonly string[] | undefined;
}

/**
 * Writes the decision log: every call of `/v1/authorize`, and every evaluation of a batch, is a line with all fields.
 * So is a refused or failed one; its reason is the problem's detail. `resource_id` is the id of the record that the
 * resource was resolved to, by id or by name; otherwise the id in the request; otherwise, like every unknown field, an
 * empty text. With inputs, a line also holds the address of the deciding policy and what `servicectl replay` needs.
 *
 * Each line has an id, PROCESS.NUMBER. The first one of a process says in `after` which was the last of the process before, if that is known.
 */
export class DecisionLog {
  readonly sinks: readonly Sink[];
  readonly #process = randomBytes(6).toString('hex');
  readonly #masks: readonly string[] | undefined;
  #after: string | undefined;
  #order = 0;

  constructor({ sinks, masks, ...surroundings }: DecisionLogOptions) {
    const origin = { service: 'service-agent', version: FULL_VERSION, process: this.#process };
    const opened: OpenedSink[] = sinks.map((settings) => openSink(settings, { ...surroundings, origin }));
    this.sinks = opened.map(({ sink }) => sink);
    this.#after = opened.find(({ lastId }) => lastId !== undefined)?.lastId;
    this.#masks = masks;
  }

  /** Resolves once every sink that blocks has room; undefined if nobody has to wait. */
  room(): Promise<unknown> | undefined {
    const waits = this.sinks.flatMap((sink) => sink.room() ?? []);
    return waits.length === 0 ? undefined : Promise.all(waits);
  }

  /** Returns false if a sink that blocks has lost the line: then the decision must not be answered. */
  write(entry: DecisionEntry): boolean {
    const order = ++this.#order;
    const time = new Date().toISOString();
    const line = {
      time,
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
      id: lineId(this.#process, order),
      ...(order === 1 && this.#after !== undefined && { after: this.#after }),
      ...entry.ids,
      ...this.#inputs(entry),
    };
    const text = `${JSON.stringify(line)}\n`;
    let kept = true;
    for (const sink of this.sinks) {
      if (!sink.write({ process: this.#process, order, time, text }) && sink.blocks) kept = false;
    }
    return kept;
  }

  /** Delivers what is queued, for so long at most; the rest stays on disk. */
  async close(deadlineMs: number): Promise<void> {
    await Promise.all(this.sinks.map((sink) => sink.close(deadlineMs)));
  }

  /** Returns what makes a line replayable: the deciding policy by its address, and the inputs of the decision. */
  #inputs({ request, policy, failed, now, engine }: DecisionEntry): object {
    if (this.#masks === undefined || request === undefined || engine === undefined) return {};
    const masks = [...this.#masks, ...engine.sensitiveIn(request)];
    return { policy, ...(failed && { failed }), inputs: maskedInputs(request, now, masks) };
  }
}
