import type { ExplainedCandidate } from '../decision/api/decision.js';
import type { DecisionRequest } from '../decision/api/request.js';
import type { CompiledEngine } from '../decision/compiled-engine.js';
import type { FindingResources } from '../impact/api/finding.js';
import { propertiesOf, unrecordedUnit } from '../impact/universe/resource-places.js';
import { type Address, names, type Path, splitReference } from '../records/address.js';
import { EVERY_TYPE, EVERYONE } from '../records/everyone.js';
import type { Fields, StoredRecord } from '../records/registry.js';
import type { ReviewedAccess } from './review-access.js';

/** How a subject comes to a policy that allows it something. */
export interface Way {
  /** Addresses: groups and roles in the order in which they lead there; empty where the policy is the subject's own. */
  readonly through: readonly Address[];
  readonly policy: Address;
  /** The path of the resource on which the role is held, unless it is held everywhere. */
  readonly place?: Path;
  /** RFC 3339: since when all links of the way are there. */
  readonly since?: string;
}

/** A name that no request has: it stands for what has no record. */
const ANY = '(any)';

/** Asks the engine by which policies, roles and groups rows of a review come about. */
export class AccessWays {
  readonly #links = new Map<Address, StoredRecord>();
  readonly #subjects = new Map<Path, Fields<'subject'>>();

  constructor(
    private readonly engine: CompiledEngine,
    records: readonly StoredRecord[],
    private readonly now: number,
  ) {
    for (const record of records) {
      const { kind, address, fields } = record;
      if (kind === 'subject') this.#subjects.set(address.slice('subject/'.length), fields);
      if (kind === 'group_membership' || kind === 'role_assignment' || kind === 'policy_assignment')
        this.#links.set(address, record);
    }
  }

  nameOf(subject: Path): string | undefined {
    return this.#subjects.get(subject)?.name;
  }

  /** The ways of a row, as they are for one of its actions on one of its resources. */
  of(row: ReviewedAccess): Way[] {
    const at = row.from === null ? this.now : Date.parse(row.from);
    const request = this.#sampleOf(row);
    if (request === undefined) return [];
    const { candidates } = this.engine.explain(request, at);
    const allowing = candidates.filter(({ effect }) => effect === 'ALLOW');
    const counting = allowing.filter(({ outcome }) => outcome === 'applies');
    // What depends on the request may come by each policy that has a condition.
    const open = row.condition === null ? [] : allowing.filter((one) => !counting.includes(one) && one.clauses);
    return [...counting, ...open].map((candidate) => this.#wayOf(candidate));
  }

  #sampleOf({ subject, actions, actions_except = [], resources }: ReviewedAccess): DecisionRequest | undefined {
    const [first] = resources;
    const type = first && this.engine.types.get(first.type);
    if (first === undefined || type === undefined) return undefined;
    const [own = ANY] = actions;
    const action = own === '*' ? (type.actions.find((one) => !actions_except.includes(one)) ?? ANY) : own;
    const resource = this.#resourceOf(first);
    return resource && { subject: subjectOf(subject), action: { name: action }, resource };
  }

  #resourceOf({ type, which, names: listed = [], below, and_below = [] }: FindingResources) {
    const [path] = listed;
    if (path !== undefined && which === 'named') return { type, name: names(path).at(-1) ?? '' };
    const ofType = this.engine.types.get(type);
    if (ofType === undefined) return undefined;
    if (which === 'unsaid' || which === 'recorded')
      return which === 'unsaid' ? { type, name: ANY } : this.#anyRecorded(type);
    const place = below === undefined ? 'nowhere' : { below: [below, ...and_below] };
    const properties = propertiesOf(this.engine, ofType, unrecordedUnit(type, place));
    if (properties === null) return undefined;
    return { type, name: ANY, ...(properties !== undefined && { properties }) };
  }

  #anyRecorded(type: Path) {
    for (const { id, name } of this.engine.types.get(type)?.resources.values() ?? [])
      if (id !== undefined) return { type, name };
    return undefined;
  }

  #wayOf({ through, policy, place }: ExplainedCandidate): Way {
    const steps = through.filter((address) => !address.startsWith('subject/'));
    const on = place === undefined ? undefined : splitReference(place).path;
    const since = this.#sinceOf(through, policy, on);
    return { through: steps, policy, ...(on !== undefined && { place: on }), ...(since !== undefined && { since }) };
  }

  /** When the last link of a way was made, or began to count. */
  #sinceOf(through: readonly Address[], policy: Address, place: Path | undefined): string | undefined {
    let since = '';
    const held = (from: Address, to: Address, isHeld: boolean) => {
      const link = this.#links.get(linkTo(to, from, isHeld ? place : undefined));
      if (link === undefined) return;
      const { starts_at } = link.fields as { starts_at?: string };
      const begun = starts_at !== undefined && Date.parse(starts_at) <= this.now ? starts_at : '';
      for (const moment of [link.created_at, begun]) if (moment > since) since = moment;
    };
    const all = [...through, policy];
    for (let at = 1; at < all.length; at++) {
      const [from, to] = [all[at - 1] as Address, all[at] as Address];
      held(from, to, to.startsWith('role/'));
    }
    return since === '' ? undefined : since;
  }
}

function subjectOf(subject: ReviewedAccess['subject']): DecisionRequest['subject'] {
  if (subject.kind === 'recorded') {
    const [type = '', id = ''] = names(subject.path);
    return { type, id };
  }
  if (subject.kind === 'unrecorded') return { type: subject.type === '*' ? ANY : subject.type, id: ANY };
  return { type: ANY, id: ANY, roles: [subject.role] };
}

/** The address of the record that gives a role, group or policy to somebody. */
function linkTo(given: Address, to: Address, place: Path | undefined): Address {
  const { kind, path } = splitReference(given);
  const links: Partial<Record<string, string>> = {
    group: 'group_membership',
    role: 'role_assignment',
    policy: 'policy_assignment',
  };
  const assignee = to === EVERYONE ? `${EVERYONE}/${EVERY_TYPE}` : to;
  return `${links[kind]}/${path}//${assignee}${place === undefined ? '' : `//${place}`}`;
}
