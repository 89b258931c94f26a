import type { Manifest } from '@authz-service/core/manifest/manifest';
import type { Plan } from '@authz-service/core/plan/plan';
import { ProblemError } from '@authz-service/core/problem';
import { declare } from '@authz-service/core/records/registry';
import type { IssuedSecret } from '@authz-service/sdk/wire';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeCloud } from '../../testing/fake-cloud.js';
import { type ApplyOptions, applyPlan, planTree } from './reconcile.js';
import { Interrupted, type Progress } from './send-once.js';

const BILLING = declare('application', { name: 'billing' });
const CLERK = declare('role', { application: 'billing', name: 'clerk' });
const KEY = declare('api_key', { name: 'ci', scopes: ['decisions'] });

const manifest = (records: Manifest['records'], more: Partial<Manifest> = {}): Manifest => ({
  version: 1,
  stack: 'git',
  records,
  moves: [],
  external: [],
  ...more,
});

let cloud: FakeCloud;
beforeEach(() => {
  cloud = new FakeCloud();
});
afterEach(() => {
  vi.useRealTimers();
});

async function applied(tree: Manifest, options: ApplyOptions = {}) {
  return applyPlan(cloud, await planTree(cloud, tree, options), options);
}

const refused = (work: Promise<unknown>): Promise<ProblemError> =>
  work.then(
    () => expect.fail('it was not refused'),
    (error) => error,
  );

describe('planning', () => {
  it('reads the state and plans against its revision', async () => {
    const plan = await planTree(cloud, manifest([BILLING, CLERK]));
    expect(plan).toMatchObject({ tenant: 'acme', stack: 'git', base_revision: cloud.revision, counts: { added: 2 } });
    expect(cloud.requests).toEqual([]);
  });

  it.each([
    ['another tenant', manifest([BILLING], { tenant: 'other' }), 'conflict', /"other".*"acme"/],
    [
      "another stack's record",
      manifest([declare('application', { name: 'theirs', description: 'ours' })]),
      'not_owner',
      /theirs/,
    ],
    [
      'a mention of what nobody declares',
      manifest([BILLING, declare('role_assignment', { role: 'billing/clerk', entity_type: 'group', entity: 'g' })]),
      'invalid_records',
      /role\/billing\/clerk|group\/g/,
    ],
    [
      'an external record that is not there',
      manifest([BILLING], { external: ['group/finance', 'role/x'] }),
      'invalid_records',
      /"group\/finance" is declared as external, but the tenant "acme" holds no such record.* And 1 more/,
    ],
  ])('refuses %s before anything is shown', async (_name, tree, code, detail) => {
    cloud.commit([{ op: 'create', kind: 'application', fields: { name: 'theirs' } }]);
    const error = await refused(planTree(cloud, tree));
    expect(error).toMatchObject({ code, detail: expect.stringMatching(detail) });
  });

  it('refuses the removal of what another stack still mentions', async () => {
    await applied(manifest([BILLING, CLERK]));
    cloud.commit([
      { op: 'create', kind: 'group', fields: { name: 'g' } },
      { op: 'create', kind: 'role_assignment', fields: { role: 'billing/clerk', entity_type: 'group', entity: 'g' } },
    ]);
    const error = await refused(planTree(cloud, manifest([BILLING])));
    expect(error).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('still assigned to 1 group (group/g, declared by "other")'),
    });
  });

  it('takes an external record that another stack holds', async () => {
    cloud.commit([{ op: 'create', kind: 'group', fields: { name: 'g' } }]);
    const assignment = declare('role_assignment', { role: 'billing/clerk', entity_type: 'group', entity: 'g' });
    const plan = await planTree(cloud, manifest([BILLING, CLERK, assignment], { external: ['group/g'] }));
    expect(plan.counts).toMatchObject({ added: 3, removed: 0 });
  });
});

describe('applying', () => {
  it('makes the changes in one change-set on the base of the plan, and counts them', async () => {
    const base = cloud.revision;
    const result = await applied(manifest([BILLING, CLERK]));
    expect(cloud.requests).toMatchObject([{ base_revision: base, stack: 'git', take_ownership: false }]);
    expect(result).toMatchObject({
      revision: cloud.revision,
      added: 2,
      changed: 0,
      removed: 0,
      unchanged: 0,
      credentials: [],
    });
    expect(result.created.map(({ address }) => address)).toEqual(['application/billing', 'role/billing/clerk']);
    expect(await applied(manifest([BILLING, CLERK]))).toMatchObject({
      revision: result.revision,
      added: 0,
      unchanged: 2,
    });
  });

  it('says how far it is', async () => {
    const seen: Progress[] = [];
    await applied(manifest([BILLING]), { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([
      { phase: 'sending', changes: 1 },
      { phase: 'done', revision: cloud.revision },
    ]);
  });

  it.each([
    ['removals without consent', [], {}, /removes application\/billing\. .*--prune, or declare them again\.$/],
    [
      'removals beside records of the same kind that are made, with the word for renames',
      [declare('application', { name: 'invoicing' })],
      {},
      /removes application\/billing\. .*--prune, or declare them again, or write renames under "moved"\.$/,
    ],
    [
      'taking over without consent',
      [declare('group', { name: 'theirs' })],
      { prune: true, replanTaking: true },
      /theirs.*--take-ownership/,
    ],
    [
      'credentials without a place for their secrets',
      [BILLING, KEY],
      {},
      /creates credentials.* api_key\/ci\. .*--credentials-out/,
    ],
  ])(
    'refuses %s, and sends nothing',
    async (_name, records, { replanTaking = false, ...options }: Record<string, boolean>, detail) => {
      await applied(manifest([BILLING]));
      cloud.commit([{ op: 'create', kind: 'group', fields: { name: 'theirs' } }]);
      const sent = cloud.requests.length;
      const plan = await planTree(cloud, manifest(records), { takeOwnership: replanTaking });
      const error = await refused(applyPlan(cloud, plan, options));
      expect(error).toMatchObject({ code: 'conflict', detail: expect.stringMatching(detail) });
      expect(error.errors.length).toBeGreaterThan(0);
      expect(cloud.requests).toHaveLength(sent);
    },
  );

  it('removes and takes over with consent', async () => {
    await applied(manifest([BILLING]));
    cloud.commit([{ op: 'create', kind: 'group', fields: { name: 'theirs' } }]);
    const tree = manifest([declare('group', { name: 'theirs' })]);
    expect(await applied(tree, { prune: true, takeOwnership: true })).toMatchObject({ removed: 1, changed: 1 });
    expect(cloud.addresses).toEqual(['group/theirs']);
  });

  it('refuses a saved plan whose base has moved, saying what to do', async () => {
    const plan = await planTree(cloud, manifest([BILLING]));
    cloud.commit([{ op: 'create', kind: 'group', fields: { name: 'g' } }]);
    const error = await refused(applyPlan(cloud, plan));
    expect(error).toMatchObject({
      code: 'stale_base',
      detail: expect.stringMatching(
        /^The plan was made for revision \S+ of tenant "[^"]+", which has changed since: nothing was changed\. "servicectl audit" shows those changes; plan again, review the new plan, and apply that one\.$/,
      ),
    });
    expect(cloud.addresses).toEqual(['group/g']);
  });

  it('a saved plan without changes is refused as well when its base has changed', async () => {
    await applied(manifest([BILLING]));
    const plan = await planTree(cloud, manifest([BILLING]));
    cloud.commit([{ op: 'create', kind: 'group', fields: { name: 'g' } }]);
    expect(await refused(applyPlan(cloud, plan))).toMatchObject({ code: 'stale_base' });
  });
});

describe('a tenant that moves under the apply of a folder', () => {
  const tree = manifest([BILLING, CLERK]);
  const replan = (): Promise<Plan> => planTree(cloud, tree);

  it('goes on when the plan stays the same', async () => {
    const plan = await replan();
    cloud.mishaps.push(() => void cloud.commit([{ op: 'create', kind: 'group', fields: { name: 'g' } }]));
    expect(await applyPlan(cloud, plan, { replan })).toMatchObject({ added: 2, revision: cloud.revision });
    expect(cloud.requests.map((request) => request.base_revision)).toEqual([
      plan.base_revision,
      expect.stringMatching(/^1\./),
    ]);
  });

  it('refuses when the plan would be another one', async () => {
    const plan = await replan();
    cloud.mishaps.push(
      () => void cloud.commit([{ op: 'create', kind: 'application', fields: { name: 'billing' } }], 'git'),
    );
    const error = await refused(applyPlan(cloud, plan, { replan }));
    expect(error).toMatchObject({
      code: 'stale_base',
      detail: expect.stringContaining('no longer the one that was shown'),
    });
    expect(cloud.addresses).toEqual(['application/billing']);
  });

  it('gives up when the tenant never rests', async () => {
    const plan = await replan();
    let n = 0;
    const bump = () => void cloud.commit([{ op: 'create', kind: 'group', fields: { name: `g${n++}` } }]);
    cloud.mishaps.push(...Array(20).fill(bump));
    expect(await refused(applyPlan(cloud, plan, { replan }))).toMatchObject({ code: 'stale_base' });
    expect(n).toBeLessThan(10);
  });
});

describe('secrets of new credentials', () => {
  it('go to the sink before the apply is done, and are not in the result', async () => {
    const kept: IssuedSecret[] = [];
    const result = await applied(manifest([KEY]), { credentialsSink: async (secrets) => void kept.push(...secrets) });
    expect(kept).toMatchObject([{ address: 'api_key/ci', secret: 'svc_api_key/ci' }]);
    expect(result.credentials).toMatchObject([{ address: 'api_key/ci' }]);
    expect(JSON.stringify(result)).not.toContain('svc_');
  });

  it('that cannot be kept are told of', async () => {
    const credentialsSink = async () => {
      throw new Error('the disk is full');
    };
    const error = await refused(applied(manifest([KEY]), { credentialsSink }));
    expect(error.detail).toMatch(
      /changes are made.* api_key\/ci could not be kept: the disk is full\. .*delete these credentials/,
    );
  });

  it('that were lost with a first answer are reported', async () => {
    const plan = await planTree(cloud, manifest([KEY]));
    const forgetful: Pick<FakeCloud, 'state' | 'changeset'> = {
      state: cloud.state.bind(cloud),
      changeset: async (body) => ({
        ...(await cloud.changeset(body)),
        secrets: [{ address: 'api_key/ci', id: 'i', secret: null }],
      }),
    };
    const sink = vi.fn();
    const error = await refused(applyPlan(forgetful, plan, { credentialsSink: sink }));
    expect(error).toMatchObject({
      code: 'network',
      detail: expect.stringMatching(/revision 1.* api_key\/ci were lost/),
    });
    expect(sink).not.toHaveBeenCalled();
  });
});

describe('an apply without an answer', () => {
  it.each([
    ['lost answer', /tenant holds all the changes/],
    ['lost request', /no change had been made/],
  ] as const)('%s: the error says what became of it', async (mishap, detail) => {
    const plan = await planTree(cloud, manifest([BILLING]));
    cloud.mishaps.push(mishap);
    const error = await refused(applyPlan(cloud, plan));
    expect(error).toMatchObject({ code: 'network', detail: expect.stringMatching(detail) });
    expect(error).toBeInstanceOf(ProblemError);
  });

  it('lost request, while somebody else moved the tenant: not applied', async () => {
    const plan = await planTree(cloud, manifest([BILLING]));
    cloud.commit([{ op: 'create', kind: 'group', fields: { name: 'g' } }]);
    cloud.mishaps.push('lost request');
    expect((await refused(applyPlan(cloud, plan))).detail).toMatch(/no change had been made/);
  });

  it('and without a way to look: unknown', async () => {
    const plan = await planTree(cloud, manifest([BILLING]));
    cloud.down = true;
    cloud.mishaps.push('lost answer');
    expect((await refused(applyPlan(cloud, plan))).detail).toMatch(/whether the changes were made is not known/);
  });
});

describe('an apply that is interrupted', () => {
  it('before it is sent: nothing is changed', async () => {
    const plan = await planTree(cloud, manifest([BILLING]));
    const error = await refused(applyPlan(cloud, plan, { signal: AbortSignal.abort() }));
    expect(error).toBeInstanceOf(Interrupted);
    expect(error).toMatchObject({ applied: false, message: expect.stringContaining('nothing was changed') });
    expect(cloud.requests).toEqual([]);
  });

  it('while the answer comes: it is done, and its result is given', async () => {
    const plan = await planTree(cloud, manifest([KEY]));
    const abort = new AbortController();
    const seen: string[] = [];
    cloud.mishaps.push(() => abort.abort());
    const options = {
      signal: abort.signal,
      credentialsSink: async () => {},
      onProgress: ({ phase }: Progress) => void seen.push(phase),
    };
    expect(await applyPlan(cloud, plan, options)).toMatchObject({ added: 1 });
    expect(seen).toEqual(['sending', 'interrupted', 'done']);
  });

  it('while no answer comes: after a while it is given up, saying that it was applied', async () => {
    const plan = await planTree(cloud, manifest([BILLING]));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const abort = new AbortController();
    cloud.mishaps.push('no answer');
    const work = refused(applyPlan(cloud, plan, { signal: abort.signal }));
    abort.abort();
    await vi.runAllTimersAsync();
    expect(await work).toMatchObject({
      name: 'Interrupted',
      applied: true,
      message: expect.stringContaining('holds all the changes'),
    });
  });
});
