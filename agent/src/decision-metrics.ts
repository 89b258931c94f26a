import type { AccessPathKind } from '@authz-service/core/access/api/decision';

const DECISIONS = 'service_agent_decisions_total';
const DURATION = 'service_agent_decision_duration_seconds';

/** In seconds. A decision takes microseconds; the last buckets show when something goes wrong. */
const BOUNDS = [
  0.000_001, 0.000_002, 0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005,
  0.01, 0.1,
];

/**
 * The metrics that every decision changes. prom-client finds a series by the text of its labels and searches all its
 * buckets each time, which takes longer than the decision itself.
 */
export class DecisionMetrics {
  readonly #allowed = { direct: 0, role: 0, group: 0 };
  readonly #denied = { direct: 0, role: 0, group: 0, none: 0 };
  readonly #durations = { true: new Durations(), false: new Durations() };

  /** Counts one call of the decision endpoint, or one evaluation of a batch. */
  called(allowed: boolean, path: AccessPathKind): void {
    if (!allowed) this.#denied[path]++;
    else if (path !== 'none') this.#allowed[path]++;
  }

  /** Records the duration of one evaluation. */
  evaluated(allowed: boolean, ms: number): void {
    (allowed ? this.#durations.true : this.#durations.false).add(ms / 1000);
  }

  /** The metrics in the text exposition format. */
  text(): string {
    const counted = (allowed: boolean, counts: object) =>
      Object.entries(counts).map(
        ([path, count]) => `${DECISIONS}{allowed="${allowed}",access_path="${path}"} ${count}`,
      );
    return `${[
      `# HELP ${DECISIONS} Decisions: one for each call of /v1/authorize and /access/v1/evaluation, and for each evaluation of a batch; one that was refused or failed counts as not allowed, without an access path.`,
      `# TYPE ${DECISIONS} counter`,
      ...counted(true, this.#allowed),
      ...counted(false, this.#denied),
      '',
      `# HELP ${DURATION} Evaluation latency of decisions, failed evaluations included.`,
      `# TYPE ${DURATION} histogram`,
      ...this.#durations.true.lines(true),
      ...this.#durations.false.lines(false),
    ].join('\n')}\n`;
  }
}

class Durations {
  /**
   * For each bound, the evaluations that took at most that long and longer than the bound before; the last element
   * counts the longer ones.
   */
  readonly #buckets: number[] = new Array(BOUNDS.length + 1).fill(0);
  #sum = 0;

  add(seconds: number): void {
    let at = 0;
    while (at < BOUNDS.length && seconds > (BOUNDS[at] as number)) at++;
    (this.#buckets[at] as number)++;
    this.#sum += seconds;
  }

  /** Buckets of the exposition format are cumulative. */
  lines(allowed: boolean): string[] {
    let count = 0;
    const lines = this.#buckets.map((held, at) => {
      count += held;
      return `${DURATION}_bucket{le="${BOUNDS[at] ?? '+Inf'}",allowed="${allowed}"} ${count}`;
    });
    return [
      ...lines,
      `${DURATION}_sum{allowed="${allowed}"} ${this.#sum}`,
      `${DURATION}_count{allowed="${allowed}"} ${count}`,
    ];
  }
}
