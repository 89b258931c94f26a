import type { TenantSide } from '@authz-service/core/access/universe/side';
import { type GateResult, RULES_GATE } from '@authz-service/core/questions/impact/report/access-report';
import type { DeclaredRecord } from '@authz-service/core/records/registry';

/**
 * The enforced access rules of both states as a gate: it passes if the change breaks none of them. Undefined where neither
 * state has a rule.
 */
export async function rulesGate(before: TenantSide, after: TenantSide, now: number): Promise<GateResult | undefined> {
  const old = new Map([...before.records].map((record) => [record.address, record]));
  const next = [...after.records];
  if (![...old.values(), ...next].some(({ kind }) => kind === 'access_rule')) return undefined;
  const [{ judgeChange }, { accessViewOf }, { violationText }, { equalJson }, { finished }] = await Promise.all([
    import('@authz-service/core/questions/access-rules/judge-rules'),
    import('@authz-service/core/questions/access-rules/violations-in'),
    import('@authz-service/core/questions/access-rules/violation'),
    import('@authz-service/core/state/equal-json'),
    import('@authz-service/core/concurrency/time-slicing'),
  ]);
  // Equal records are the same objects.
  const kept = next.map((record): DeclaredRecord => {
    const former = old.get(record.address);
    return former !== undefined && equalJson(former.fields, record.fields) ? former : record;
  });
  const [first, second] = [accessViewOf([...old.values()]), accessViewOf(kept)];
  const addresses = new Set([...old.keys(), ...kept.map(({ address }) => address)]);
  const pairs = [...addresses].map((address) => ({ address, before: first.get(address), after: second.get(address) }));
  const broken = finished(judgeChange(first, second, pairs, now)).filter(({ mode }) => mode === 'enforce');
  const detail = broken.length === 0 ? 'The change breaks no access rule.' : broken.map(violationText).join(' ');
  return { gate: RULES_GATE, passed: broken.length === 0, detail, findings: [] };
}
