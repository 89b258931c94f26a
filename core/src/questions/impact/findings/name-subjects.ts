import type { Block } from '../../../access/delta/compare-columns.js';
import type { PrincipalIds } from '../../../access/universe/principal-ids.js';
import { type Member, OTHER_TYPE, type SubjectClass } from '../../../access/universe/subject-classes.js';
import { everyoneType } from '../../../records/everyone.js';
import type { FindingPrincipal, FindingSubjects } from '../api/finding.js';

/** Single subjects are named up to this many, where no principal has them all. */
const SINGLE_MAX = 5;

/** Beyond this many names, one principal that has some others, too, says more. */
const NAMED_MAX = 3;

/** The recorded subjects of a principal, as classes. */
export interface PrincipalMembers {
  readonly classes: readonly SubjectClass[];
  readonly count: number;
  /** How many of these belong to it without another group between. */
  directly(members: readonly Member[]): number;
}

/** Subjects by class. */
type Named = ReadonlyMap<SubjectClass, readonly Member[]>;

/** Names subjects by as few principals as it takes: those that have no others first. */
export function nameSubjects(
  blocks: readonly Block[],
  membersOf: (principal: number) => PrincipalMembers,
  principals: PrincipalIds,
): FindingSubjects {
  const wanted = namedIn(blocks);
  const open = new Map(wanted);
  const unrecorded = blocks.filter(({ one }) => one.kind === 'unrecorded').map(({ one }) => one.type);
  const [role] = blocks.flatMap(({ one }) => one.role ?? []);
  const byRole = blocks.flatMap(({ one }) => (one.kind === 'named' && one.without === undefined ? [one] : []));
  const types = [...new Set(byRole.map(({ type }) => type))].sort();
  const except = (byRole[0]?.types ?? []).filter((type) => !types.includes(type)).sort();
  const candidates = candidatesOf(open, principals, new Set(unrecorded));
  const named: FindingPrincipal[] = [];
  const described = (id: number): FindingPrincipal => {
    const { classes, count, directly } = membersOf(id);
    const lists = classes.flatMap((one) => [wanted.get(one) ?? []]);
    const sum = (of: (members: readonly Member[]) => number) => lists.reduce((total, list) => total + of(list), 0);
    const { address } = principals.at(id);
    return { principal: address, subjects: sum((list) => list.length), of: count, directly: sum(directly) };
  };
  for (const whole of [true, false]) {
    while (open.size > 0 && sizeOf(open) > (whole ? 0 : SINGLE_MAX)) {
      let best: { id: number; gain: number } | undefined;
      for (const id of candidates) {
        const { classes, count } = membersOf(id);
        let [gain, has] = [0, 0];
        for (const one of classes) {
          gain += open.get(one)?.length ?? 0;
          has += wanted.get(one)?.length ?? 0;
        }
        if (gain < 2 || (whole ? has < count : has * 2 < count)) continue;
        if (best === undefined || gain > best.gain) best = { id, gain };
      }
      if (best === undefined) break;
      named.push(described(best.id));
      for (const one of membersOf(best.id).classes) open.delete(one);
    }
  }
  const whole = named.length + sizeOf(open) > NAMED_MAX ? wholeOf(candidates, wanted, membersOf) : undefined;
  if (whole !== undefined) {
    named.splice(0, named.length, described(whole));
    open.clear();
  }
  const single = [...open.values()].flatMap((members) => members.map(({ path }) => path)).sort();
  for (const path of single) named.push({ principal: `subject/${path}`, subjects: 1, of: 1, directly: 1 });
  return {
    principals: named,
    recorded: sizeOf(wanted),
    unrecorded: [...new Set(unrecorded)].sort(),
    ...(role !== undefined && { named_role: role }),
    ...(types.length > 0 && !types.includes(OTHER_TYPE) && { named_types: types }),
    ...(types.includes(OTHER_TYPE) && except.length > 0 && { named_types_except: except }),
  };
}

/** A principal that has all of some subjects, and hardly as many others; of several the smallest. */
function wholeOf(
  candidates: readonly number[],
  wanted: Named,
  membersOf: (principal: number) => PrincipalMembers,
): number | undefined {
  let best: { id: number; count: number } | undefined;
  for (const id of candidates) {
    const { classes, count } = membersOf(id);
    const has = classes.reduce((sum, one) => sum + (wanted.get(one)?.length ?? 0), 0);
    if (has === sizeOf(wanted) && has * 2 > count && count < (best?.count ?? Number.POSITIVE_INFINITY))
      best = { id, count };
  }
  return best?.id;
}

/** The recorded subjects of blocks, each once. */
function namedIn(blocks: readonly Block[]): Named {
  const found = new Map<SubjectClass, readonly Member[]>();
  for (const { one: asked, members } of blocks) {
    const one = asked.without ?? asked;
    if (one.kind !== 'recorded') continue;
    const known = found.get(one);
    if (known?.length === one.members.length) continue;
    found.set(one, known === undefined ? members : [...new Set([...known, ...members])]);
  }
  return found;
}

function sizeOf(named: Named): number {
  let size = 0;
  for (const members of named.values()) size += members.length;
  return size;
}

/** The groups, roles and everyone that the subjects act as, in the order in which they are preferred. */
function candidatesOf(open: Named, principals: PrincipalIds, unrecorded: ReadonlySet<string>): number[] {
  const found = new Set<number>();
  for (const one of open.keys()) for (const id of [...one.after.ids, ...one.before.ids]) found.add(id);
  const rank = { everyone: 3, group: 1, role: 2, subject: 4 } as const;
  // Everyone, or everyone of a type, is meant where those without a record are among them.
  const rankOf = ({ kind, address }: { kind: keyof typeof rank; address: string }) =>
    kind === 'everyone' && unrecorded.has(everyoneType(address) ?? '') ? 0 : rank[kind];
  return [...found]
    .map((id) => ({ id, ...principals.at(id) }))
    .filter(({ kind }) => kind !== 'subject')
    .sort((left, right) => rankOf(left) - rankOf(right) || (left.address < right.address ? -1 : 1))
    .map(({ id }) => id);
}
