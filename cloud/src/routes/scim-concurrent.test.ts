import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
});
afterAll(() => cloud.close());

/** Names of which many requests fight for the same. */
const NAMES = ['a', 'b', 'c', 'd', 'B', 'C'];

it('answers requests that fight for the same records one after the other, and keeps what it says', async () => {
  await cloud.commit(admin, [
    { op: 'create', kind: 'directory', fields: { name: 'mad', properties: { title: 'title' } } },
    { op: 'create', kind: 'role', fields: { name: 'r' } },
  ]);
  const as = await cloud.key(admin, ['directory'], { directory: 'mad' });
  const scim = (method: string, path: string, body?: unknown) =>
    cloud.ask(method, `/scim/v2/${path}`, { as, ...(body !== undefined && { body }) });
  const all = async () => {
    const lists = await Promise.all(['Users', 'Groups'].map((kind) => scim('GET', `${kind}?sortBy=id`)));
    return lists.map(({ body }) => body.Resources);
  };
  const ids = async (of: 0 | 1) => (await all())[of].map(({ id }: { id: string }) => id);
  const draws = fc.sample(
    fc.record({
      act: fc.constantFrom(
        'make',
        'make',
        'group',
        'rename',
        'suspend',
        'remove',
        'add',
        'add',
        'set',
        'drop',
        'regroup',
      ),
      name: fc.constantFrom(...NAMES),
      one: fc.nat(7),
      other: fc.nat(7),
    }),
    { numRuns: 240, seed: 33 },
  );
  const seen = new Set<number>();
  for (let at = 0; at < draws.length; at += 12) {
    const [users, groups] = [await ids(0), await ids(1)];
    const answers = await Promise.all(
      draws.slice(at, at + 12).map(async ({ act, name, one, other }) => {
        const user = users[one % Math.max(1, users.length)] ?? 'none';
        const group = groups[other % Math.max(1, groups.length)] ?? 'none';
        const patch = (path: string, ...Operations: object[]) => scim('PATCH', path, { Operations });
        if (act === 'make') return scim('POST', 'Users', { userName: name, title: act });
        if (act === 'group') return scim('POST', 'Groups', { displayName: name, members: [{ value: user }] });
        if (act === 'rename') return patch(`Users/${user}`, { op: 'replace', path: 'userName', value: name });
        if (act === 'suspend') return patch(`Users/${user}`, { op: 'replace', path: 'active', value: one % 2 === 0 });
        if (act === 'remove') return scim('DELETE', `Users/${user}`);
        if (act === 'add') return patch(`Groups/${group}`, { op: 'add', path: 'members', value: [{ value: user }] });
        if (act === 'drop') return scim('DELETE', `Groups/${group}`);
        if (act === 'regroup') return patch(`Groups/${group}`, { op: 'replace', path: 'displayName', value: name });
        return scim('PUT', `Groups/${group}`, {
          displayName: name,
          members: users.map((value: string) => ({ value })),
        });
      }),
    );
    for (const { status, body } of answers) {
      seen.add(status);
      expect([200, 201, 204, 400, 404, 409], JSON.stringify(body)).toContain(status);
    }
  }
  expect([...seen].sort()).toEqual([200, 201, 204, 400, 404, 409]);
  const before = await all();
  const known = new Set(before[0].map(({ id }: { id: string }) => id));
  for (const { members = [] } of before[1]) for (const { value } of members) expect(known).toContain(value);
  for (const { id, userName } of before[0]) {
    const found = await scim('GET', `Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`);
    expect(found.body.Resources.map((one: { id: string }) => one.id)).toEqual([id]);
  }
  // What is read from the database anew says the same as what commits have made of it.
  await cloud.restart();
  admin = await cloud.token();
  expect(await all()).toEqual(
    before.map((list: { meta: { location: string } }[]) =>
      list.map((one) => ({ ...one, meta: { ...one.meta, location: expect.anything() } })),
    ),
  );
});

it('takes large requests that arrive together into several commits, and small ones into one', async () => {
  await cloud.commit(admin, [{ op: 'create', kind: 'directory', fields: { name: 'large' } }]);
  const as = await cloud.key(admin, ['directory'], { directory: 'large' });
  const send = async (method: string, path: string, body: object) =>
    (await cloud.ask(method, `/scim/v2/${path}`, { as, body })).body.id as string;
  const ids = (sent: readonly Promise<string>[]) => Promise.all(sent);
  const people = await ids([...Array(150).keys()].map((at) => send('POST', 'Users', { userName: `large${at}` })));
  const groups = await ids([...Array(6).keys()].map((at) => send('POST', 'Groups', { displayName: `large ${at}` })));
  const Operations = [{ op: 'add', path: 'members', value: people.map((value) => ({ value })) }];
  await ids(groups.map((group) => send('PATCH', `Groups/${group}?excludedAttributes=members`, { Operations })));
  const { body } = await cloud.ask('GET', '/v1/audit?limit=50', { as: admin });
  const added = (body.items as { stack?: string; counts: { added: number } }[])
    .filter(({ stack }) => stack === 'directory/large')
    .map(({ counts }) => counts.added);
  expect(added.reduce((sum, count) => sum + count)).toBe(people.length + groups.length + people.length * groups.length);
  expect(Math.max(...added)).toBeLessThan(2 * 200);
  expect(added.length).toBeLessThan(people.length);
});
