import type { ExplainedCandidate } from '../../access/api/decision.js';
import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import { propertiesOf, unrecordedUnit } from '../../access/universe/resource-places.js';
import { ProblemError } from '../../problem.js';
import { type Address, names, type Path, splitReference } from '../../records/address.js';
import { EVERY_TYPE, EVERYONE, everyoneType } from '../../records/everyone.js';
import type { Fields, StoredRecord } from '../../records/registry.js';
import type { DecisionRequest } from '../../request.js';
import type { FindingResources } from '../impact/api/finding.js';
import type { FoundRow } from './review-rows.js';
import type { GrantPath, RowSubject } from './reviewed-access.js';

/** A name that no request has: it stands for what has no record. */
const ANY = '(any)';

/** The most members of a row, and actions, that are asked about. */
const MEMBERS_ASKED = 3;
const ACTIONS_ASKED = 10;

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

  /** The ways of a row, as they are for its actions on one of its resources. */
  of(row: FoundRow): GrantPath[] {
    const { subject, members, actions } = row;
    if (subject.kind !== 'members') return this.#waysOf(row, subject, actions.slice(0, ACTIONS_ASKED));
    // Of one who comes to it in several ways only the strongest is told.
    for (const { path } of evenly(members)) {
      const ways = this.#waysOf(row, { kind: 'recorded', path }, actions.slice(0, ACTIONS_ASKED), subject.of);
      if (ways.length > 0) return ways.map(({ since: _, ...way }) => way);
    }
    return [];
  }

  /** The ways of a row with members, as one of these has them. */
  ofMember({ subject }: FoundRow, ways: readonly GrantPath[], path: Path): GrantPath[] {
    const isAll = subject.kind === 'members' && everyoneType(subject.of) !== undefined;
    return ways.map((way) => {
      const since = this.#sinceOf([...(isAll ? [] : [`subject/${path}`]), ...way.through], way.policy, way.place);
      return { ...way, ...(since !== undefined && { since }) };
    });
  }

  #waysOf(row: FoundRow, subject: RowSubject, actions: readonly string[], by?: Address): GrantPath[] {
    const found = new Map<string, GrantPath>();
    for (const action of actions)
      for (const way of this.#waysTo(row, subject, action)) {
        const { through, policy, place } = way;
        if (by === undefined || through[0] === by) found.set([...through, policy, place].join(' '), way);
      }
    return [...found.values()];
  }

  #waysTo(row: FoundRow, subject: RowSubject, action: string): GrantPath[] {
    const at = row.from === null ? this.now : Date.parse(row.from);
    const request = this.#sampleOf(row, subject, action);
    const candidates = request === undefined ? [] : this.#candidates(request, at);
    const allowing = candidates.filter(({ effect }) => effect === 'ALLOW');
    const counting = allowing.filter(({ outcome }) => outcome === 'applies');
    // What depends on the request may come by each policy that has a condition.
    const open = row.condition === null ? [] : allowing.filter((one) => !counting.includes(one) && one.clauses);
    return [...counting, ...open].map((candidate) => this.#wayOf(candidate));
  }

  #candidates(request: DecisionRequest, at: number): readonly ExplainedCandidate[] {
    try {
      return this.engine.explain(request, at).candidates;
    } catch (error) {
      // The engine refuses the sample, perhaps since a condition fails without what requests send.
      if (error instanceof ProblemError) return [];
      throw error;
    }
  }

  #sampleOf(
    { actions_except = [], resources }: FoundRow,
    subject: RowSubject,
    own: string,
  ): DecisionRequest | undefined {
    const [first] = resources;
    const type = first && this.engine.types.get(first.type);
    if (first === undefined || type === undefined) return undefined;
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

  #wayOf({ through, policy, place }: ExplainedCandidate): GrantPath {
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

function subjectOf(subject: RowSubject): DecisionRequest['subject'] {
  if (subject.kind === 'recorded') {
    const [type = '', id = ''] = names(subject.path);
    return { type, id };
  }
  if (subject.kind === 'unrecorded') return { type: subject.type === '*' ? ANY : subject.type, id: ANY };
  if (subject.kind === 'named_role') return { type: subject.types?.[0] ?? ANY, id: ANY, roles: [subject.role] };
  throw new Error('members are asked about one by one');
}

/** Some of a list, from all over it. */
function evenly<T>(list: readonly T[]): Iterable<T> {
  const step = Math.max(1, Math.floor(list.length / MEMBERS_ASKED));
  return list.filter((_, at) => at % step === 0).slice(0, MEMBERS_ASKED);
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
