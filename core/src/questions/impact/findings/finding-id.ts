import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../json/json.js';
import type { Finding } from '../api/finding.js';

/** The identity of a finding (docs/semantics.md 10.10). */
export function findingId(finding: Omit<Finding, 'id' | 'causes' | 'risks' | 'witness' | 'triples' | 'exact'>): string {
  const { change, subjects, actions, actions_except, resources, condition, condition_before, from, until } = finding;
  const said = {
    change,
    principals: subjects.principals.map(({ principal }) => principal),
    unrecorded: subjects.unrecorded,
    named_role: subjects.named_role ?? null,
    ...(subjects.named_types && { named_types: subjects.named_types }),
    ...(subjects.named_types_except && { named_types_except: subjects.named_types_except }),
    actions,
    actions_except: actions_except ?? [],
    resources: resources.map(({ type, which, below, names, and_below, not_below, among_others }) => [
      ...[type, which, below ?? null, names ?? []],
      ...(and_below !== undefined || not_below !== undefined || among_others
        ? [and_below ?? [], not_below ?? [], among_others ?? false]
        : []),
    ]),
    condition,
    condition_before: condition_before ?? null,
    from,
    until,
  };
  return createHash('sha256')
    .update(canonicalJson(said as never))
    .digest('hex')
    .slice(0, 16);
}
