import type { Finding } from '@authz-service/core/questions/impact/api/finding';
import type { Impact } from '@authz-service/core/questions/impact/api/impact';
import type { DecisionRequest } from '@authz-service/core/request';

/** The words of findings for a sample that is allowed afterwards and was not, and the reverse. */
const CHANGES: Record<'gained' | 'lost', readonly Finding['change'][]> = {
  gained: ['gained', 'widened', 'changed', 'unknown'],
  lost: ['lost', 'narrowed', 'changed', 'unknown'],
};

/** A request that one state allows and the other does not. */
export interface ChangedSample {
  change: 'gained' | 'lost';
  request: DecisionRequest;
  now: number;
  /** Whether a record of either state is meant. */
  recorded: { subject: boolean; resource: boolean };
  /** Whether any record is about subjects of that type. */
  mentioned: boolean;
  /** Whether the resource has a record in one state only, and lies in the other where requests say. */
  placed: boolean;
  /** The path of the type. */
  type: string;
  /** The places that a resource without a record lies below, and whether in either state nobody says where it lies. */
  above: ReadonlySet<string>;
  unsaid: boolean;
}

/** The findings that say so. What a role adds that the request names is told beside what everybody may do. */
export function findingsCovering(impact: Impact, sample: ChangedSample): Finding[] {
  return impact.delta.findings.filter((finding) => covers(impact, finding, sample));
}

function covers(impact: Impact, finding: Finding, sample: ChangedSample): boolean {
  const { request, now, change } = sample;
  if (!CHANGES[change].includes(finding.change)) return false;
  if (finding.from !== null && now < Date.parse(finding.from)) return false;
  if (finding.until !== null && now >= Date.parse(finding.until)) return false;
  const { actions, actions_except: except = [] } = finding;
  const { name } = request.action;
  if (!actions.includes(name) && !(actions.includes('*') && !except.includes(name))) return false;
  return coversSubject(impact, finding, sample) && coversResource(impact, finding, sample);
}

function coversSubject(impact: Impact, finding: Finding, { request, recorded, mentioned }: ChangedSample): boolean {
  const { type, id, roles = [] } = request.subject;
  const { named_role, named_types, named_types_except, recorded: known } = finding.subjects;
  if (named_role !== undefined && !roles.some((role) => named_role === `role/${role}`)) return false;
  if (known === 0 && recorded.subject && named_role !== undefined) return false;
  if (named_role !== undefined && known === 0)
    return named_types?.includes(type) !== false && !named_types_except?.includes(type);
  if (recorded.subject) return impact.subjectsOf(finding).includes(`${type}/${id}`);
  return finding.subjects.unrecorded.includes(mentioned ? type : '*');
}

function coversResource(impact: Impact, finding: Finding, sample: ChangedSample): boolean {
  const { request, recorded, type, above, unsaid, placed } = sample;
  const path = `${type}/${request.resource.name}`;
  if (recorded.resource && (!placed || unsaid)) return impact.resourcesOf(finding).includes(path);
  if (recorded.resource)
    return finding.resources.some(({ type: of, which, below, names, among_others: among }) => {
      if (which === 'all' || which === 'recorded') return of === type;
      if (names?.includes(path) !== true) return false;
      if (which === 'nowhere') return above.size === 0;
      // Wherever it lies, but for what is said of some places.
      return which === 'named' || (below === undefined ? among === true && above.size > 0 : above.has(below));
    });
  return finding.resources.some((some) => {
    if (some.type !== type || some.names !== undefined) return false;
    if (some.below !== undefined && !above.has(some.below)) return false;
    if (some.and_below?.some((place) => !above.has(place))) return false;
    if (some.among_others) return above.size > 0;
    if (some.which === 'all' || some.which === 'unrecorded') return true;
    if (unsaid) return some.which === 'unsaid';
    // What is said of those that lie nowhere says nothing of others.
    return some.which === 'nowhere' && (some.below !== undefined || above.size === 0);
  });
}
