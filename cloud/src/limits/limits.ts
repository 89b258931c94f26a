import { ProblemError } from '@authz-service/core/problem';
import { Buckets } from './buckets.js';
import { type Quotas, SCOPES, type Scope, UNITS, type Unit } from './read-quotas.js';

/** The units that are used at once. */
export type Costs = Partial<Record<Unit, number>>;

/** Whom a request stands for, as far as it is known. */
export type Parties = Partial<Record<Scope, string>>;

/** One limit that a request was counted for. */
interface Policy {
  /** `tenant-commits`. */
  name: string;
  scope: Scope;
  unit: Unit;
  buckets: Buckets;
}

/** Units as the draft's registry names them; `requests` where there is none. */
const QUOTA_UNITS: Partial<Record<Unit, string>> = { bytes: 'content-bytes' };

/** Keeps tenants, credentials and addresses within the operators' limits, each process by what it sees itself. */
export class Limits {
  readonly #byUnit = new Map<Unit, Policy[]>();

  /** `clock` returns monotonic milliseconds; `refused` counts. */
  constructor(
    quotas: Record<Scope, Quotas>,
    clock: () => number,
    private readonly refused: (scope: Scope, unit: Unit) => void,
  ) {
    for (const unit of UNITS) {
      const policies = SCOPES.flatMap((scope): Policy[] => {
        const quota = quotas[scope][unit];
        return quota === undefined
          ? []
          : [{ name: `${scope}-${unit}`, scope, unit, buckets: new Buckets(quota, clock) }];
      });
      if (policies.length > 0) this.#byUnit.set(unit, policies);
    }
  }

  /** The account of one request; absent where nothing is limited. */
  account(): Account | undefined {
    return this.#byUnit.size === 0 ? undefined : new Account(this.#byUnit, this.refused);
  }
}

/** The units that one request has used. */
export class Account {
  readonly #used = new Map<Policy, string>();
  #parties: Parties = {};

  constructor(
    private readonly byUnit: ReadonlyMap<Unit, Policy[]>,
    private readonly refused: (scope: Scope, unit: Unit) => void,
  ) {}

  /** Takes the costs from all these parties, or nothing from any. Throws `too_many_requests`, which says when to come again. */
  charge(costs: Costs, parties: Parties = this.#parties): void {
    const due = this.#due(costs, parties);
    for (const { policy, party, cost } of due) this.#refuse(policy, policy.buckets.waitMs(party, cost));
    for (const { policy, party, cost } of due) policy.buckets.take(party, cost);
  }

  /**
   * Takes a part of what the request uses, where nobody knows how much that will be. Throws `too_many_requests` where nothing is
   * left, unless it was this request that took the last of it.
   */
  chargePart(costs: Costs): void {
    for (const { policy, party, cost } of this.#due(costs, this.#parties))
      this.#refuse(policy, policy.buckets.takePart(party, cost, this));
  }

  #refuse(policy: Policy, waitMs: number): void {
    if (waitMs <= 0) return;
    this.refused(policy.scope, policy.unit);
    throw tooMany(policy, Math.max(1, Math.ceil(waitMs / 1000)));
  }

  #due(costs: Costs, parties: Parties) {
    this.#parties = { ...this.#parties, ...parties };
    const due = UNITS.flatMap((unit) => {
      const cost = costs[unit] ?? 0;
      if (cost <= 0) return [];
      return (this.byUnit.get(unit) ?? []).flatMap((policy) => {
        const party = parties[policy.scope];
        return party === undefined ? [] : [{ policy, party, cost }];
      });
    });
    for (const { policy, party } of due) this.#used.set(policy, party);
    return due;
  }

  /** The fields of draft-ietf-httpapi-ratelimit-headers-10; none for a request that was counted for nothing. */
  headers(): Record<string, string> {
    if (this.#used.size === 0) return {};
    const used = [...this.#used];
    const policies = used.map(([{ name, unit, buckets }]) => {
      const kind = QUOTA_UNITS[unit];
      return `"${name}";q=${buckets.quota.amount};w=${buckets.quota.seconds}${kind === undefined ? '' : `;qu="${kind}"`}`;
    });
    const readings = used.map(([{ name, buckets }, party]) => {
      const { left, fullInSeconds } = buckets.reading(party);
      return `"${name}";r=${left};t=${fullInSeconds}`;
    });
    return { 'ratelimit-policy': policies.join(', '), ratelimit: readings.join(', ') };
  }
}

const OF: Record<Scope, string> = { tenant: 'tenant', credential: 'credential', address: 'network address' };

function tooMany({ scope, unit, buckets }: Policy, seconds: number): ProblemError {
  const { quota } = buckets;
  return new ProblemError(
    'too_many_requests',
    `This ${OF[scope]} has used up its ${quota.amount} ${unit} in ${quota.seconds} s: come again in ${seconds} s.`,
    [],
    { retryAfterSeconds: seconds },
  );
}
