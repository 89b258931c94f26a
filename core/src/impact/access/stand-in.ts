/** Remainders without evaluation of conditions: what differs in a condition is `unknown`. */
import { canonicalJson } from '../../json.js';
import type { Formula } from '../remainder/formula.js';
import type { ReadsOf } from '../remainder/reads.js';
import type { DecisionList, PolicyGuard, Remainders, RemainingCandidate } from '../remainder/remainders.js';

export const readsOf: ReadsOf = ({ condition = '' }) => ({
  subjectProperties: condition.includes('subject.properties') ? undefined : [],
  resourceProperties: condition.includes('resource.properties') ? undefined : [],
  subjectId: condition.includes('subject.id'),
  subjectType: condition.includes('subject.type'),
  resourceNames: /resource\.(name|id)/.test(condition),
  actionName: condition.includes('action.name'),
  groups: [...condition.matchAll(/in_group\("([^"]*)"\)/g)].map(([, path = '']) => path),
  roles: [...condition.matchAll(/has_role\("([^"]*)"\)/g)].map(([, path = '']) => path),
  ancestors: [],
});

export function standIn(): Remainders {
  const formulas = new Map<string, Formula & { text: string }>();
  const lists = new Map<string, DecisionList>();
  const formula = (text: string, constant?: Formula['constant']) => {
    const known = formulas.get(text) ?? { id: formulas.size, constant, text };
    formulas.set(text, known);
    return known;
  };
  const listOf = (candidates: readonly RemainingCandidate[]): DecisionList => {
    const kept = candidates
      .filter(
        ({ effect, remainder }) =>
          remainder.constant === undefined ||
          remainder.constant === 'true' ||
          (effect === 'DENY' && remainder.constant === 'absent'),
      )
      .sort(
        (l, r) =>
          r.priority - l.priority ||
          (l.effect === r.effect ? l.remainder.id - r.remainder.id : l.effect === 'DENY' ? -1 : 1),
      );
    const upTo = kept.findIndex(({ remainder }) => remainder.constant !== undefined);
    const deciding = upTo < 0 ? kept : kept.slice(0, upTo + 1);
    while (deciding.at(-1)?.effect === 'DENY') deciding.pop();
    const key = deciding
      .map(({ effect, priority, remainder }) => `${effect} ${deciding.length > 1 ? priority : ''} ${remainder.id}`)
      .join();
    const known = lists.get(key) ?? { id: lists.size, candidates: deciding };
    lists.set(key, known);
    return known;
  };
  const verdictOf = ({ candidates }: DecisionList) =>
    candidates.length === 0
      ? ('deny' as const)
      : candidates.every(({ effect }) => effect === 'ALLOW') &&
          candidates.some(({ remainder }) => remainder.constant !== undefined)
        ? ('allow' as const)
        : ('depends' as const);
  return {
    remainderOf(guard: PolicyGuard, known, placeUnknown) {
      if (placeUnknown) return formula('absent', 'absent');
      if (guard.condition === undefined && guard.modifiers === undefined && guard.unless === undefined)
        return formula('true', 'true');
      return formula(
        canonicalJson([
          guard.condition ?? '',
          guard.modifiers ?? null,
          known.subject.recorded,
          known.resource.recorded,
        ] as never),
      );
    },
    listOf,
    verdictOf,
    compare(before, after) {
      if (before === after) return { change: 'same' };
      const [old, now] = [verdictOf(before), verdictOf(after)];
      if (old === 'deny' || now === 'allow') return { change: 'gained' };
      if (now === 'deny' || old === 'allow') return { change: 'lost' };
      return { change: 'unknown' };
    },
    satisfiable: () => ({ possible: 'unknown' }),
    withoutFailures: (list) => list,
    textOf: (what) => JSON.stringify(what),
  };
}
