import { checkCondition } from '../../conditions/reads/check.js';
import { clausesOf } from '../../conditions/reads/clauses.js';
import { mayTurnOut } from '../../conditions/residual/formula.js';
import type { PartialRequest } from '../../conditions/residual/partial-request.js';
import { type PolicyGuard, Residuals } from '../../conditions/residual/residuals.js';
import type { Path } from '../../records/address.js';
import type { DeclaredRecord } from '../../records/registry.js';
import { anyRequest, coveredTypes, isSettledByAny, subjectTypes } from './any-request.js';
import type { LintFinding } from './lint-finding.js';

type Policy = DeclaredRecord<'policy'>;

/** Policies that never apply, conditions and clauses that are always the same, and DENYs that apply on absence. */
export function conditionFindings(records: readonly DeclaredRecord[], now: number): LintFinding[] {
  const types = records.flatMap(({ kind, address }) =>
    kind === 'resource_type' ? [address.slice(kind.length + 1)] : [],
  );
  const prover = new Prover(records, now);
  return records.flatMap((record) => (record.kind === 'policy' ? ofPolicy(record, types, prover) : []));
}

function ofPolicy({ address, fields }: Policy, types: readonly Path[], prover: Prover): LintFinding[] {
  const { condition, modifiers, unless, effect } = fields;
  const covered = coveredTypes(fields, types);
  if (fields.resource_types !== undefined && covered.length === 0) {
    const detail = `covers nothing: "${fields.application}" declares no type here. Declare one, or remove the policy.`;
    return [{ rule: 'vacuous-policy', certainty: 'suspected', address, pointer: '/resource_types', detail }];
  }
  const findings: LintFinding[] = [];
  const pointer = condition === undefined ? undefined : '/condition';
  const at = { address, ...(pointer !== undefined && { pointer }) };
  const whole = prover.outcomes({ condition, modifiers, unless }, covered);
  const never = effect === 'DENY' ? 'false for every request' : 'true for no request';
  if (whole === 'false' || (whole === 'not-true' && effect === 'ALLOW')) {
    const detail = `never applies: what it requires is ${never}. Correct the condition, or remove the policy.`;
    return [{ rule: 'vacuous-policy', certainty: 'proven', ...at, detail }];
  }
  if (condition === undefined) return [];
  if (prover.outcomes({ condition }, covered) === 'true') {
    const detail = 'its condition is true for every request: remove it, or correct it.';
    findings.push({ rule: 'constant-condition', certainty: 'proven', ...at, detail });
  } else {
    const clauses = clausesOf(condition);
    for (const { text, offset } of clauses.length < 2 ? [] : clauses) {
      const outcome = prover.outcomes({ condition: text }, covered);
      if (outcome !== 'true' && outcome !== 'false') continue;
      const detail = `the clause ${text.replace(/\s+/g, ' ')} is ${outcome} for every request: remove it, or correct it.`;
      findings.push({ rule: 'constant-condition', certainty: 'proven', ...at, offset, detail });
    }
  }
  const { reads } = checkCondition(condition, undefined);
  if (effect === 'DENY' && reads.length > 0) {
    const detail = `This DENY reads ${reads.join(', ')} without has(): it denies whenever one is absent. Ask ${presenceOf(reads[0] ?? '')} first, or accept it if that is meant.`;
    findings.push({ rule: 'deny-on-absence', certainty: 'suspected', ...at, detail });
  }
  return findings;
}

/** The expression that asks whether an attribute is there: has() takes no index. */
function presenceOf(attribute: string): string {
  const [, map, key] = /^(.+)\[(".*")\]$/.exec(attribute) ?? [];
  return map === undefined ? `has(${attribute})` : `${key} in ${map}`;
}

/** Proves how guards turn out for every request. */
class Prover {
  readonly #residuals = new Residuals();

  constructor(
    private readonly records: readonly DeclaredRecord[],
    private readonly now: number,
  ) {}

  /**
   * `true` or `false` where that is the outcome for every request on these types; `not-true` where it is never true, but
   * may be absent or fail; undefined where it may be true, or nothing is proven.
   */
  outcomes(guard: PolicyGuard, types: readonly Path[]): 'true' | 'false' | 'not-true' | undefined {
    if (types.length === 0 || !isSettledByAny(guard)) return undefined;
    const found = new Set<string | undefined>();
    for (const type of types) {
      for (const subject of subjectTypes(this.records, [guard])) {
        found.add(this.#outcome(guard, anyRequest(type, subject, this.now)));
        if (found.has(undefined)) return undefined;
      }
    }
    if (found.size === 1) return [...found][0] as 'true' | 'false' | 'not-true';
    return found.has('true') ? undefined : 'not-true';
  }

  #outcome(guard: PolicyGuard, known: PartialRequest): 'true' | 'false' | 'not-true' | undefined {
    const formula = this.#residuals.residualOf(guard, known);
    if (formula.constant === 'true' || formula.constant === 'false') return formula.constant;
    if (this.#residuals.satisfiable(formula).possible === 'no') {
      const troubled = mayTurnOut(formula, 'absent') || mayTurnOut(formula, 'failed');
      return troubled ? 'not-true' : 'false';
    }
    const all = this.#residuals.listOf([{ effect: 'ALLOW', priority: 0, residual: formula }]);
    return this.#residuals.verdictOf(all) === 'allow' ? 'true' : undefined;
  }
}
