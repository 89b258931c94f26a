import type { Decision } from '@authz-service/core/access/api/decision';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import type { DecisionRequest } from '@authz-service/core/request';
import { fresh, median, random } from './random.js';
import { engineTenant, questions, type Size } from './tenant.js';

export interface EngineFigures {
  policies: number;
  /** Microseconds a decision, and a look-up in a `Map` with as many keys as there are policies. */
  decision: number;
  lookup: number;
  /** Microseconds a decision of which everything is read: reason, policy, path. */
  explained: number;
  /** 99th percentile of single decisions, in microseconds. */
  p99: number;
  allowed: number;
}

const ROUNDS = 5;

function sized(policies: number, condition?: string): Size {
  const roles = Math.max(10, policies / 10);
  const types = Math.max(5, Math.min(1000, policies / 100));
  const size = { policies, roles, types, subjects: Math.max(100, policies / 10), resources: Math.max(100, policies) };
  return condition === undefined ? size : { ...size, condition };
}

/** Decisions in process, every one on strings that were never seen before, beside the floor of one `Map` look-up. */
export function measureEngine(policies: number, condition?: string): EngineFigures {
  const size = sized(policies, condition);
  const engine = compileEngine(engineTenant(size));
  const now = Date.UTC(2026, 0, 1);
  const keys = new Map<string, number>();
  for (let key = 0; key < policies; key += 1) keys.set(`key-${key}@example.com`, key);

  const count = 200_000;
  const warm = questions(size, Math.min(400_000, size.subjects * 4));
  for (const question of warm) engine.decide(question, now);

  const decisions: number[] = [];
  const lookups: number[] = [];
  const explained: number[] = [];
  let allowed = 0;
  let found = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const asked = questions(size, count + round);
    const draw = random(round + 1);
    const sought = asked.map(() => fresh(`key-${draw(policies)}@example.com`));
    let start = performance.now();
    for (const question of asked) if (engine.decide(question, now).decision) allowed += 1;
    decisions.push(((performance.now() - start) * 1000) / asked.length);
    start = performance.now();
    for (const key of sought) found += keys.get(key) ?? 0;
    lookups.push(((performance.now() - start) * 1000) / sought.length);
    const again = questions(size, count + ROUNDS + round);
    start = performance.now();
    for (const question of again) found += lengthOf(engine.decide(question, now));
    explained.push(((performance.now() - start) * 1000) / again.length);
  }
  if (found < 0) throw new Error('unreachable: keeps the look-ups from being optimized away');
  return {
    policies,
    decision: median(decisions),
    lookup: median(lookups),
    explained: median(explained),
    p99: percentile(questions(size, 100_000), (question) => engine.decide(question, now)),
    allowed: allowed / (ROUNDS * count),
  };
}

function lengthOf({ reason, policy_id, access_path }: Decision): number {
  return reason.length + (policy_id?.length ?? 0) + access_path.length;
}

function percentile(asked: DecisionRequest[], decide: (question: DecisionRequest) => unknown): number {
  const taken = new Float64Array(asked.length);
  asked.forEach((question, place) => {
    const start = process.hrtime.bigint();
    decide(question);
    taken[place] = Number(process.hrtime.bigint() - start) / 1000;
  });
  return taken.sort()[Math.floor(asked.length * 0.99)] ?? Number.NaN;
}
