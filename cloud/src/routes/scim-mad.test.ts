import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestCloud } from '../../testing/test-cloud.js';

/** Identity providers that have lost their minds. */
describe('a directory that goes mad', () => {
  let cloud: TestCloud;
  let admin: string;
  let as: string;
  let people: string[];
  let groups: string[];

  const PEOPLE = 40;
  const GROUPS = 8;
  const scim = (method: string, path: string, body?: unknown) =>
    cloud.ask(method, `/scim/v2/${path}`, { as, ...(body !== undefined && { body }) });
  const statuses = async (answers: ReturnType<typeof scim>[]) =>
    (await Promise.all(answers)).map(({ status }) => status).sort();
  const times = (status: number, count: number) => Array.from({ length: count }, () => status);
  const status = async () => (await cloud.ask('GET', '/v1/directories/mad/status', { as: admin })).body;
  const members = (of: number) => people.filter((_, at) => at % GROUPS === of).map((value) => ({ value }));
  const allowed = async (id: number, resource: number) => {
    const body = {
      subject: { type: 'user', id: `p${id}` },
      action: { name: 'read' },
      resource: { type: `t${resource}`, name: 'x' },
    };
    return (await cloud.ask('POST', '/v1/authorize', { as: admin, body })).body.decision;
  };
  /** Whether everybody may read what the own group may, and nobody anything else. */
  const access = async () =>
    (
      await Promise.all(
        Array.from({ length: PEOPLE }, async (_, id) => [
          await allowed(id, id % GROUPS),
          await allowed(id, (id + 1) % GROUPS),
        ]),
      )
    ).flat();

  beforeAll(async () => {
    cloud = await TestCloud.start();
    admin = await cloud.token();
    const fields = { name: 'mad', removals: '5%', suspensions: '10%' };
    await cloud.commit(admin, [{ op: 'create', kind: 'directory', fields }]);
    as = await cloud.key(admin, ['directory'], { directory: 'mad' });
    people = await Promise.all(
      Array.from({ length: PEOPLE }, async (_, at) => (await scim('POST', 'Users', { userName: `p${at}` })).body.id),
    );
    groups = await Promise.all(
      Array.from({ length: GROUPS }, async (_, at) => {
        return (await scim('POST', 'Groups', { displayName: `g${at}`, members: members(at) })).body.id;
      }),
    );
    const application = 'app';
    await cloud.commit(admin, [
      { op: 'create', kind: 'application', fields: { name: application } },
      ...groups.flatMap((_, at) => {
        const policy = { application, name: `p${at}`, effect: 'ALLOW', resource_type: `app/t${at}`, actions: ['read'] };
        const to = { policy: `app/p${at}`, entity_type: 'group', entity: `g${at}` };
        return [
          { op: 'create', kind: 'resource_type', fields: { application, name: `t${at}`, actions: ['read'] } } as const,
          { op: 'create', kind: 'policy', fields: policy } as const,
          { op: 'create', kind: 'policy_assignment', fields: to } as const,
        ];
      }),
    ]);
  });
  afterAll(() => cloud.close());

  it('gives and takes nothing by the same person twice', async () => {
    expect(await statuses(['twin', 'TWIN', 'Twin'].map((userName) => scim('POST', 'Users', { userName })))).toEqual([
      201, 409, 409,
    ]);
    expect(
      await statuses([scim('POST', 'Users', { userName: 'p1' }), scim('POST', 'Users', { userName: 'P2' })]),
    ).toEqual([409, 409]);
    expect(await access()).toEqual(people.flatMap(() => [true, false]));
  });

  it('keeps what each group may when all of them are renamed, and gives no group the place of another', async () => {
    const renamed = (to: (at: number) => string) =>
      groups.map((id, at) => scim('PUT', `Groups/${id}`, { displayName: to(at), members: members(at) }));
    expect(await statuses(renamed((at) => `renamed${at}`))).toEqual(times(200, GROUPS));
    expect(await access()).toEqual(people.flatMap(() => [true, false]));
    expect(await statuses(renamed((at) => `renamed${(at + 1) % GROUPS}`))).toEqual(times(409, GROUPS));
    expect(await access()).toEqual(people.flatMap(() => [true, false]));
  });

  it('refuses what comes in the reverse order, and takes it when it is repeated', async () => {
    const none = '00000000-0000-0000-0000-000000000000';
    const add = (id: string, value: string) =>
      scim('PATCH', `Groups/${id}`, { Operations: [{ op: 'add', path: 'members', value: [{ value }] }] });
    expect((await add(String(groups[0]), none)).status).toBe(400);
    expect((await scim('PUT', `Users/${none}`, { userName: 'late' })).status).toBe(404);
    expect((await scim('DELETE', `Users/${none}`)).status).toBe(404);
    const late = (await scim('POST', 'Users', { userName: 'late' })).body.id;
    expect((await add(String(groups[0]), late)).status).toBe(200);
    expect(await access()).toEqual(people.flatMap(() => [true, false]));
  });

  it('loses no more than its brake allows when half of all goes, however often it is asked', async () => {
    const before = await status();
    // 5% of 42 people, and 10% of them.
    for (const round of [0, 1]) {
      const half = people.slice(2, 2 + PEOPLE / 2).map((id) => scim('DELETE', `Users/${id}`));
      expect(await statuses(half)).toEqual(
        round === 0 ? [...times(204, 2), ...times(503, 18)] : [...times(404, 2), ...times(503, 18)],
      );
    }
    const deleted = await statuses(groups.slice(0, 4).map((id) => scim('DELETE', `Groups/${id}`)));
    // Each has five members, and 5% of all memberships are two.
    expect(deleted).toEqual(times(503, 4));
    const Operations = [{ op: 'replace', path: 'active', value: false }];
    const suspended = await statuses(people.slice(22).map((id) => scim('PATCH', `Users/${id}`, { Operations })));
    expect(suspended).toEqual([...times(200, 4), ...times(503, 14)]);
    expect(await status()).toMatchObject({
      subjects: before.subjects - 2,
      groups: before.groups,
      taken_away: { people: 2, groups: 0, suspended: 4 },
      held_count: 36,
    });
    expect((await access()).filter((one) => one).length).toBeGreaterThan(PEOPLE / 2);
    // What it does not take away goes on.
    expect((await scim('POST', 'Users', { userName: 'sane' })).status).toBe(201);
  });
});
