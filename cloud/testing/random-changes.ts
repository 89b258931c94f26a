import type { Change } from '@authz-service/core/state/change';
import fc from 'fast-check';

/** Records with so few names that change-sets affect each other's records. */
const NAMES = ['a', 'b', 'c'];
const name = fc.constantFrom(...NAMES);

const plain = {
  subject: { path: (id: string) => `user/${id}`, fields: (id: string) => ({ type: 'user', id }) },
  group: { path: (id: string) => id, fields: (id: string) => ({ name: id }) },
  role: { path: (id: string) => id, fields: (id: string) => ({ name: id }) },
  api_key: { path: (id: string) => id, fields: (id: string) => ({ name: id, scopes: ['bundle'] }) },
} as const;
type Plain = keyof typeof plain;
const kinds = Object.keys(plain) as Plain[];
const kind = fc.constantFrom(...kinds);

const create = (of: Plain, id: string): Change => ({ op: 'create', kind: of, fields: plain[of].fields(id) });
const addressOf = (of: Plain, id: string) => `${of}/${plain[of].path(id)}`;
const move = (of: Plain, from: string, to: string): Change => ({
  op: 'move',
  from: addressOf(of, from),
  to: addressOf(of, to),
});

/** The records at the beginning. */
export const BEGINNING: Change[] = kinds.flatMap((of) => NAMES.map((id) => create(of, id)));

const link = fc.oneof(
  fc.tuple(name, name).map(([group, id]) => ({ kind: 'group_membership' as const, of: 'group', end: group, id })),
  fc.tuple(name, name).map(([role, id]) => ({ kind: 'role_assignment' as const, of: 'role', end: role, id })),
);

/** Small change-sets of one or two changes; most of them are accepted. */
const wish: fc.Arbitrary<Change[]> = fc.oneof(
  fc.tuple(kind, name).map(([of, id]) => [create(of, id)]),
  fc.tuple(kind, name).map(([of, id]): Change[] => [{ op: 'delete', address: addressOf(of, id) }]),
  fc.tuple(kind, name).map(([of, id]): Change[] => [{ op: 'delete', address: addressOf(of, id) }, create(of, id)]),
  fc.tuple(kind, name, name).map(([of, from, to]) => [move(of, from, to), move(of, to, from)]),
  fc.tuple(kind, name, fc.constantFrom('x', 'y')).map(([of, from, to]) => [move(of, from, to)]),
  fc.tuple(kind, name, fc.constantFrom('x', 'y')).map(([of, to, from]) => [move(of, from, to)]),
  link.map(({ kind, of, end, id }): Change[] => [
    { op: 'create', kind, fields: { [of]: end, entity_type: 'subject', entity: `user/${id}` } },
  ]),
  link.map(({ kind, end, id }): Change[] => [{ op: 'delete', address: `${kind}/${end}//subject/user/${id}` }]),
  fc
    .tuple(name, fc.string({ maxLength: 5 }))
    .map(([id, description]): Change[] => [
      { op: 'update', address: `group/${id}`, fields: { name: id, description } },
    ]),
);

/** Change-sets one after the other; some of them are refused. */
export const changesets: fc.Arbitrary<Change[][]> = fc.array(
  fc.array(wish, { minLength: 1, maxLength: 2 }).map((wishes) => wishes.flat()),
  { minLength: 20, maxLength: 40 },
);
