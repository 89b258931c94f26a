import { createHash } from 'node:crypto';
import type { Finding } from '../impact/api/finding.js';
import { canonicalJson } from '../json.js';
import { type Path, typeOfResource } from '../records/address.js';
import { type ResourcePart, ResourceSets } from './resource-sets.js';
import type { ReviewedAccess, RowSubject } from './review-access.js';
import type { ScopedRecords } from './review-scope.js';

/** Any action that nothing names. */
const OTHER = '*';

type Limits = Pick<ReviewedAccess, 'condition' | 'unclear' | 'from' | 'until'>;

/** What is said of one subject under the same limits. */
interface Told {
  readonly subject: RowSubject;
  readonly limits: Limits;
  readonly said: { readonly part: ResourcePart; readonly finding: Finding }[];
}

/**
 * Makes rows of findings. Findings share subjects, actions and resources out among themselves in a way that hangs on all of
 * them; a row hangs on its own subject alone: one for each type, limits and set of resources, with all actions on these.
 */
export class ReviewRows {
  readonly #told = new Map<string, Told>();
  readonly #sets: ResourceSets;
  /** By type: the actions that it declares, and those that findings name. */
  readonly #actions = new Map<Path, Set<string>>();
  #parts = 0;

  constructor(scoped: ScopedRecords) {
    this.#sets = new ResourceSets(scoped);
    for (const { kind, address, fields } of scoped.records)
      if (kind === 'resource_type') this.#actions.set(address.slice('resource_type/'.length), new Set(fields.actions));
  }

  /** `recorded` are the paths of the finding's resources, those beyond the part too; `subjects` of its subjects. */
  *add(finding: Finding, recorded: readonly Path[], subjects: readonly Path[]): Generator<undefined, void> {
    const { condition, from, until, change } = finding;
    const limits = { condition, ...(change === 'unknown' && { unclear: true as const }), from, until };
    const parts = this.#partsOf(finding, recorded);
    let done = 0;
    for (const subject of aboutOf(finding, subjects)) {
      if (++done % 500 === 0) yield;
      const key = canonicalJson([subject, limits] as never);
      const known = this.#told.get(key) ?? { subject, limits, said: [] };
      this.#told.set(key, known);
      for (const part of parts) known.said.push({ part, finding });
    }
  }

  /** All rows, sorted. */
  *all(): Generator<undefined, ReviewedAccess[]> {
    const rows: { key: string; row: ReviewedAccess }[] = [];
    let done = 0;
    for (const told of this.#told.values()) {
      if (++done % 100 === 0) yield;
      for (const row of this.#rowsOf(told)) rows.push({ key: keyOf(row), row });
    }
    rows.sort((left, right) => (left.key < right.key ? -1 : 1));
    return rows.map(({ row }) => row);
  }

  #partsOf({ resources, actions, actions_except = [] }: Finding, recorded: readonly Path[]): ResourcePart[] {
    return [...new Set(resources.map(({ type }) => type))].map((type) => {
      const known = this.#actions.get(type) ?? new Set();
      for (const action of [...actions, ...actions_except]) if (action !== OTHER) known.add(action);
      this.#actions.set(type, known);
      const said = resources.filter((one) => one.type === type);
      const named = said.some(({ which }) => which === 'named' || which === 'recorded' || which === 'all');
      const own = named ? this.#sets.within(recorded.filter((resource) => typeOfResource(resource) === type)) : [];
      return { type, index: this.#parts++, said, recorded: own };
    });
  }

  #rowsOf({ subject, limits, said }: Told): ReviewedAccess[] {
    const byAction = new Map<string, { type: Path; action: string; parts: ResourcePart[] }>();
    for (const { part, finding } of said)
      for (const action of this.#actionsOf(part.type, finding)) {
        const key = `${part.type} ${action}`;
        const known = byAction.get(key);
        if (known === undefined) byAction.set(key, { type: part.type, action, parts: [part] });
        else known.parts.push(part);
      }
    const bySet = new Map<string, { type: Path; actions: string[]; resources: ReviewedAccess['resources'] }>();
    for (const { type, action, parts } of byAction.values()) {
      const { key, resources } = this.#sets.of(parts);
      const known = bySet.get(key);
      if (known === undefined) bySet.set(key, { type, actions: [action], resources });
      else known.actions.push(action);
    }
    return [...bySet].map(([set, { type, actions, resources }]) => {
      const named = this.#named(type, actions);
      const id = createHash('sha256').update(canonicalJson([subject, limits, named, set] as never));
      return { id: id.digest('hex').slice(0, 16), subject, ...named, resources, ...limits };
    });
  }

  #actionsOf(type: Path, { actions, actions_except = [] }: Finding): string[] {
    if (!actions.includes(OTHER)) return [...actions];
    return [...(this.#actions.get(type) ?? []), OTHER].filter((action) => !actions_except.includes(action));
  }

  #named(type: Path, actions: readonly string[]): Pick<ReviewedAccess, 'actions' | 'actions_except'> {
    if (!actions.includes(OTHER)) return { actions: [...actions].sort() };
    const except = [...(this.#actions.get(type) ?? [])].filter((action) => !actions.includes(action)).sort();
    return { actions: [OTHER], ...(except.length > 0 && { actions_except: except }) };
  }
}

function aboutOf({ subjects }: Finding, recorded: readonly Path[]): RowSubject[] {
  if (subjects.named_role !== undefined)
    return [{ kind: 'named_role', role: subjects.named_role.slice('role/'.length) }];
  return [
    ...recorded.map((path) => ({ kind: 'recorded' as const, path })),
    ...subjects.unrecorded.map((type) => ({ kind: 'unrecorded' as const, type })),
  ];
}

const KINDS = ['unrecorded', 'named_role', 'recorded'];

/** Who is not known by name comes first. */
function keyOf({ subject, actions, resources, id }: ReviewedAccess): string {
  const { kind, ...rest } = subject;
  return [KINDS.indexOf(kind), Object.values(rest)[0], resources[0]?.type, actions.join(' '), id].join('\n');
}
