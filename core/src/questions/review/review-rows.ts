import { createHash } from 'node:crypto';
import { canonicalJson } from '../../json/json.js';
import { type Path, splitReference, typeOfResource } from '../../records/address.js';
import type { Finding } from '../impact/api/finding.js';
import type { AlikeSubjects } from '../impact/api/impact.js';
import { actionsInScope, resourcesInScope } from './findings-in-scope.js';
import { type ResourcePart, type ResourceSet, ResourceSets } from './resource-sets.js';
import type { ReviewScope, ScopedRecords } from './review-scope.js';
import type { AccessLimits, AllowedActions, RowSubject } from './reviewed-access.js';
import { type Indexed, type StatedMember, SubjectStatements } from './subject-statements.js';

/** Any action that nothing names. */
const OTHER = '*';

/** A row, with all of whom it is about. */
export interface FoundRow extends AllowedActions, AccessLimits {
  readonly id: string;
  readonly subject: RowSubject;
  /** With a record, sorted; those of `members` and `recorded`. */
  readonly members: readonly StatedMember[];
  /** The paths of all resources with a record, of which `resources` names some; rows share the list. */
  readonly recorded: readonly Path[];
}

/** Some of what a finding says: actions on resources of one type. */
interface Statement extends Indexed {
  readonly type: Path;
  readonly actions: readonly string[];
  readonly except: readonly string[];
  readonly part: ResourcePart;
}

/** Who is told of together, as long as the same is said of them. */
type About =
  | { readonly kind: 'recorded' | 'unrecorded' }
  | { readonly kind: 'members'; readonly of: string }
  | { readonly kind: 'named_role'; readonly role: Path; readonly types: readonly string[] };

interface RowStatements {
  readonly about: About;
  readonly limits: AccessLimits;
  readonly said: SubjectStatements<Statement>;
}

type What = AllowedActions & { readonly set: string; readonly recorded: readonly Path[] };

/**
 * Makes rows of findings. Findings share subjects, actions and resources out among themselves in a way that hangs on all of
 * them; what a row says hangs on whom it is about alone: one for each type, limits and set of resources, with all actions on
 * these. Those who have it by the same membership are one row, and each who has it by themselves is one.
 */
export class ReviewRows {
  readonly #told = new Map<string, RowStatements>();
  readonly #sets: ResourceSets;
  /** By type: the actions that it declares, and those that findings name. */
  readonly #actions = new Map<Path, Set<string>>();
  /** By the list of a finding's recorded resources, which findings share. */
  readonly #parts = new Map<readonly Path[], readonly ResourcePart[]>();
  readonly #statements = new Map<string, Statement>();
  #partCount = 0;
  readonly #whats = new Map<string, readonly What[]>();

  constructor(
    private readonly scope: ReviewScope,
    private readonly scoped: ScopedRecords,
  ) {
    this.#sets = new ResourceSets(scoped);
    for (const { kind, address, fields } of scoped.records)
      if (kind === 'resource_type') this.#actions.set(address.slice('resource_type/'.length), new Set(fields.actions));
  }

  /** `recorded` are the paths of the finding's resources, those beyond the scope too: the same list where they are the same. */
  add(finding: Finding, recorded: readonly Path[], subjects: readonly AlikeSubjects[]): void {
    const { condition, from, until, change } = finding;
    const limits = { condition, ...(change === 'unknown' && { unclear: true as const }), from, until };
    const statements = this.#statementsOf(finding, recorded);
    if (statements.length === 0) return;
    for (const alike of subjects) {
      for (const about of this.scope.kind === 'subject' ? ofSubject(alike) : aboutOf(alike)) {
        const key = canonicalJson([about, limits] as never);
        const told = this.#told.get(key) ?? { about, limits, said: new SubjectStatements() };
        this.#told.set(key, told);
        told.said.add(alike, statements);
      }
    }
  }

  /** All rows, sorted. */
  all(): FoundRow[] {
    const rows: { key: string; row: FoundRow }[] = [];
    for (const { about, limits, said } of this.#told.values()) {
      const byWhat = new Map<What, { what: What; members: StatedMember[] }>();
      const same = new Map<string, What>();
      for (const { members, statements } of said.apart()) {
        for (const one of this.#whatOf(statements)) {
          const name = canonicalJson([one.actions, one.actions_except ?? null, one.set] as never);
          const what = same.get(name) ?? one;
          same.set(name, what);
          const known = byWhat.get(what);
          if (known === undefined) byWhat.set(what, { what, members: [...members] });
          else for (const member of members) known.members.push(member);
        }
      }
      for (const { what, members } of byWhat.values()) {
        const { set, ...allowed } = what;
        for (const { subject, of } of rowsAbout(about, members)) {
          const { resources: _, recorded: __, ...named } = allowed;
          const hash = createHash('sha256').update(canonicalJson([subject, limits, named, set] as never));
          if (subject.kind === 'members') for (const { path } of of) hash.update(`\n${path}`);
          const row = { id: hash.digest('hex').slice(0, 16), subject, ...allowed, ...limits, members: of };
          rows.push({ key: keyOf(row), row });
        }
      }
    }
    rows.sort((left, right) => (left.key < right.key ? -1 : 1));
    return rows.map(({ row }) => row);
  }

  #statementsOf(finding: Finding, recorded: readonly Path[]): Statement[] {
    const wanted = actionsInScope(finding, this.scope.actions);
    if (wanted === undefined) return [];
    return this.#partsOf(finding, recorded).map((part) => {
      const { actions, actions_except: except = [] } = wanted;
      const known = this.#actions.get(part.type) ?? new Set();
      for (const action of [...actions, ...except]) if (action !== OTHER) known.add(action);
      this.#actions.set(part.type, known);
      const key = canonicalJson([part.index, actions, except] as never);
      const statement = this.#statements.get(key) ?? {
        ...{ index: this.#statements.size, type: part.type, actions, except, part },
      };
      this.#statements.set(key, statement);
      return statement;
    });
  }

  #partsOf(finding: Finding, recorded: readonly Path[]): readonly ResourcePart[] {
    let parts = this.#parts.get(recorded);
    if (parts === undefined) {
      const resources = resourcesInScope(finding, recorded, this.scope, this.scoped);
      parts = [...new Set(resources.map(({ type }) => type))].map((type) => {
        const said = resources.filter((one) => one.type === type);
        const named = said.some(({ which }) => which === 'named' || which === 'recorded' || which === 'all');
        const own = named ? this.#sets.within(recorded.filter((resource) => typeOfResource(resource) === type)) : [];
        return { type, index: this.#partCount++, said, recorded: own };
      });
      this.#parts.set(recorded, parts);
    }
    return parts;
  }

  /** Joins statements: actions by the set of resources on which they are allowed. */
  #whatOf(statements: readonly Statement[]): readonly What[] {
    const key = statements.map(({ index }) => index).join();
    let found = this.#whats.get(key);
    if (found === undefined) {
      found = this.#joined(statements);
      this.#whats.set(key, found);
    }
    return found;
  }

  #joined(statements: readonly Statement[]): What[] {
    const byAction = new Map<string, { type: Path; action: string; parts: ResourcePart[] }>();
    for (const statement of statements)
      for (const action of this.#actionsOf(statement)) {
        const { type, part } = statement;
        const key = `${type} ${action}`;
        const known = byAction.get(key);
        if (known === undefined) byAction.set(key, { type, action, parts: [part] });
        else known.parts.push(part);
      }
    const bySet = new Map<string, { type: Path; actions: string[]; set: ResourceSet }>();
    for (const { type, action, parts } of byAction.values()) {
      const set = this.#sets.of(parts);
      const known = bySet.get(set.key);
      if (known === undefined) bySet.set(set.key, { type, actions: [action], set });
      else known.actions.push(action);
    }
    return [...bySet.values()].map(({ type, actions, set }) => ({
      ...this.#named(type, actions),
      resources: set.resources,
      set: set.key,
      recorded: set.recorded,
    }));
  }

  #actionsOf({ type, actions, except }: Statement): string[] {
    if (!actions.includes(OTHER)) return [...actions];
    return [...(this.#actions.get(type) ?? []), OTHER].filter((action) => !except.includes(action));
  }

  #named(type: Path, actions: readonly string[]): Pick<AllowedActions, 'actions' | 'actions_except'> {
    if (!actions.includes(OTHER)) return { actions: [...actions].sort() };
    const except = [...(this.#actions.get(type) ?? [])].filter((action) => !actions.includes(action)).sort();
    return { actions: [OTHER], ...(except.length > 0 && { actions_except: except }) };
  }
}

/** The subject that a scope is, however it comes to it. */
function ofSubject({ kind }: AlikeSubjects): readonly About[] {
  return kind === 'recorded' ? [{ kind }] : [];
}

function aboutOf({ kind, role = '', types = [], by }: AlikeSubjects): readonly About[] {
  if (kind === 'named') return [{ kind: 'named_role', role: splitReference(role).path, types }];
  if (kind === 'unrecorded') return [{ kind }];
  return by.map((of): About => (of === 'own' ? { kind: 'recorded' } : { kind: 'members', of }));
}

/** `members` of those without a record are types of subjects. */
function rowsAbout(
  about: About,
  members: readonly StatedMember[],
): { subject: RowSubject; of: readonly StatedMember[] }[] {
  switch (about.kind) {
    case 'recorded':
      return members.map((member) => ({ subject: { kind: 'recorded', path: member.path }, of: [member] }));
    case 'unrecorded':
      return members.map(({ path }) => ({ subject: { kind: 'unrecorded', type: path }, of: [] }));
    case 'named_role': {
      const { kind, role } = about;
      const types = members.map(({ path }) => path).sort();
      if (!types.includes(OTHER)) return [{ subject: { kind, role, types }, of: [] }];
      const except = about.types.filter((type) => !types.includes(type)).sort();
      return [{ subject: { kind, role, ...(except.length > 0 && { types_except: except }) }, of: [] }];
    }
    case 'members': {
      const of = members.toSorted((left, right) => (left.path < right.path ? -1 : 1));
      return [{ subject: { ...about, count: of.length }, of }];
    }
  }
}

const KINDS = ['unrecorded', 'named_role', 'members', 'recorded'];

/** Who is not known by name comes first. */
function keyOf({ subject, actions, resources, condition, id }: FoundRow): string {
  const { kind, ...rest } = subject;
  return [KINDS.indexOf(kind), Object.values(rest)[0], resources[0]?.type, actions.join(' '), condition, id].join('\n');
}
