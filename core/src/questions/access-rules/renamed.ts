import { type Address, type Path, typeOfResource } from '../../records/address.js';
import type { AccessView } from './access-view.js';
import { readsResourceType, readsSubjectId, tellsResourcesApart } from './reads-change.js';
import { RuleClaim, type RuleRecord } from './rule-claim.js';

interface Move {
  readonly from: Address;
  readonly to: Address;
}

/** The names that conditions in a state read, so that a rename may change whom or what they mean. */
interface NamesRead {
  subjectIds: boolean;
  resourceNames: boolean;
  resourceTypes: boolean;
}

const NOTHING: NamesRead = { subjectIds: false, resourceNames: false, resourceTypes: false };
/** The kinds whose names conditions read. */
const BY_NAME = /^(?:application|resource_type|resource|subject)\//;

const STEP = 20;

/**
 * The moves that change what a record is called and nothing else (docs/semantics.md 11.11). Others change access: of a policy or
 * a type into another application, where wildcards cover something else; of a subject or a resource into another type; of
 * what conditions read the name of; and of a link, which then joins something else.
 */
export function* plainRenames<M extends Move>(view: AccessView, moves: readonly M[]): Generator<undefined, M[]> {
  const read = moves.some(({ from }) => BY_NAME.test(from)) ? yield* namesRead(view) : NOTHING;
  let plain = plainAmong(moves, read);
  for (;;) {
    // What comes to stand where another record stands takes its links over, unless that one is only renamed, too.
    const left = new Set(plain.map(({ from }) => from));
    const free = plain.filter(({ to }) => left.has(to) || view.get(to) === undefined);
    if (free.length === plain.length) return free;
    plain = plainAmong(free, read);
  }
}

function plainAmong<M extends Move>(moves: readonly M[], read: NamesRead): M[] {
  // What lies in something that is renamed is named by that: types and applications come first.
  const homes = new Map<string, string>();
  const moving = new Set(moves.map(({ from }) => from));
  const homeAfter = (home: string) => homes.get(home) ?? (moving.has(home as Address) ? home : followed(home, homes));
  const plain = new Set<M>();
  for (const kind of ['application', 'resource_type'] as const)
    for (const move of moves)
      if (move.from.startsWith(`${kind}/`) && isPlain(move, read, homeAfter)) {
        plain.add(move);
        homes.set(move.from, move.to);
      }
  return moves.filter((move) => plain.has(move) || isPlain(move, read, homeAfter));
}

function isPlain({ from, to }: Move, read: NamesRead, homeAfter: (home: string) => string): boolean {
  const kind = from.slice(0, from.indexOf('/'));
  const [old, now] = [homeOf(kind, from.slice(kind.length + 1)), homeOf(kind, to.slice(kind.length + 1))];
  const stays = homeAfter(old) === now;
  switch (kind) {
    case 'application':
      return !read.resourceTypes;
    case 'resource_type':
      return stays && !read.resourceTypes;
    case 'resource':
      return stays && !read.resourceNames;
    case 'subject':
      return stays && !read.subjectIds;
    case 'policy':
      return stays;
    case 'group_membership':
    case 'role_assignment':
    case 'policy_assignment':
      return false;
    default:
      return true;
  }
}

/** Returns what a record belongs to by its path. */
function homeOf(kind: string, path: Path): string {
  if (kind === 'resource') return `resource_type/${typeOfResource(path)}`;
  const slash = path.indexOf('/');
  const first = slash < 0 ? '' : path.slice(0, slash);
  return kind === 'subject' ? `type of subjects ${first}` : `application/${first}`;
}

/** Returns the new name of a type that follows its application. */
function followed(home: string, homes: ReadonlyMap<string, string>): string {
  const [, application, type] = /^resource_type\/([^/]+)\/(.+)$/.exec(home) ?? [];
  const now = homes.get(`application/${application}`);
  return now === undefined ? home : `resource_type/${now.slice('application/'.length)}/${type}`;
}

function* namesRead(view: AccessView): Generator<undefined, NamesRead> {
  const read: NamesRead = { ...NOTHING };
  let steps = 0;
  // Requests say what a resource lies in by properties, whose values are names of other resources.
  const parents = new Set<string>();
  for (const address of view.addresses('resource_type')) {
    if (++steps % STEP === 0) yield;
    const record = view.get(address);
    if (record?.kind === 'resource_type') for (const { property } of record.fields.parents ?? []) parents.add(property);
  }
  for (const kind of ['policy', 'access_rule'] as const)
    for (const address of view.addresses(kind)) {
      if (++steps % STEP === 0) yield;
      const record = view.get(address);
      const guards =
        record?.kind === 'policy'
          ? [record.fields]
          : record === undefined
            ? []
            : RuleClaim.of(record as RuleRecord).guards;
      for (const guard of guards) {
        read.subjectIds ||= readsSubjectId(guard);
        read.resourceNames ||= tellsResourcesApart(guard, parents);
        read.resourceTypes ||= readsResourceType(guard);
      }
    }
  return read;
}
