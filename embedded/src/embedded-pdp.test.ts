import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '@authz-service/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedPdp } from './embedded-pdp.js';

const TREE = `version: 1
applications:
  billing:
    resource_types: { invoice: { actions: [read, pay], properties: { amount: number } } }
    resources:
      INV-1: { type: invoice, properties: { amount: 10 } }
      INV-2: { type: invoice, properties: { amount: 9000 } }
    policies:
      read: { effect: ALLOW, resource_type: invoice, actions: [read], assigned_to: [user/alice, user/bob] }
      pay: { effect: ALLOW, resource_type: invoice, actions: [pay], condition: resource.properties.amount < 100, assigned_to: [user/alice] }
      limit: { effect: DENY, resource_type: invoice, actions: [pay], condition: 1 / context.n > 1, assigned_to: [user/carl] }
subjects: { user/alice: {}, user/bob: {}, user/carl: {} }
`;

let folder: string;
let pdp: EmbeddedPdp;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'embedded-'));
  writeFileSync(join(folder, 'tenant.yaml'), TREE);
  pdp = await EmbeddedPdp.fromTree(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ask = (who: string, action: string, name: string, more: object = {}) => ({
  subject: { type: 'user', id: who },
  action: { name: action },
  resource: { type: 'invoice', name },
  ...more,
});

async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of found) list.push(one);
  return list;
}

describe('a decision point of a tree', () => {
  it('decides at once, with the texts of a decision over the network', () => {
    expect(pdp.isAllowed(ask('alice', 'pay', 'INV-1'))).toBe(true);
    const decision = pdp.decide(ask('alice', 'pay', 'INV-2'));
    expect(decision).toMatchObject({ allowed: false, decided: true });
    expect(decision.reason).toBe('No policy matched: "pay" on invoice "INV-2" for user "alice".');
    expect(pdp.decide(ask('bob', 'read', 'new'))).toMatchObject({
      allowed: true,
      accessPath: 'direct',
      policyId: 'policy/billing/read',
      context: { access_path: 'direct', policy_id: 'policy/billing/read' },
    });
  });

  it('explains', () => {
    const { explanation } = pdp.decide(ask('alice', 'pay', 'INV-2', { options: { explain: true } }));
    expect(explanation?.candidates).toMatchObject([{ policy: 'policy/billing/pay', outcome: 'does_not_apply' }]);
  });

  it.each([
    ['a question without a resource', { ...ask('alice', 'read', 'x'), resource: undefined }, 'invalid_request'],
    [
      'a number that JSON cannot hold',
      ask('alice', 'read', 'x', { context: { n: Number.POSITIVE_INFINITY } }),
      'invalid_request',
    ],
  ])('refuses %s, and never allows it', (_, question, code) => {
    const asked = question as never;
    expect(() => pdp.decide(asked)).toThrow(expect.objectContaining({ code }));
    expect(() => pdp.isAllowed(asked)).toThrow(ServiceError);
    expect(pdp.decide(asked, { orDeny: true })).toMatchObject({ allowed: false, decided: false, error: { code } });
    expect(pdp.isAllowed(asked, { orDeny: true })).toBe(false);
  });

  it('throws where a DENY fails', () => {
    const asked = ask('carl', 'pay', 'INV-1', { context: { n: 0 } });
    expect(() => pdp.decide(asked)).toThrow(expect.objectContaining({ code: 'evaluation_failed' }));
  });

  it('decides batches, however long, and ends them early', async () => {
    const evaluations = Array.from({ length: 2_500 }, (_, at) => ({
      resource: { type: 'invoice', name: at % 2 === 0 ? 'INV-1' : 'INV-2' },
    }));
    const { resource: _, ...defaults } = ask('alice', 'pay', '');
    const said = (await pdp.decideAll({ ...defaults, evaluations })).map((one) => one.ok && one.decision.allowed);
    expect(said).toEqual(evaluations.map((_, at) => at % 2 === 0));
    const options = { evaluations_semantic: 'deny_on_first_deny' as const };
    const ended = await pdp.decideAll({ ...defaults, evaluations, options });
    expect(ended.length).toBe(2_500);
    expect(ended.slice(1, 3)).toMatchObject([
      { ok: true, decision: { allowed: false } },
      { ok: false, error: { code: 'not_evaluated' } },
    ]);
    expect(ended.at(-1)).toMatchObject({ ok: false, error: { code: 'not_evaluated' } });
    const failing = { subject: { type: 'user', id: 'carl' }, resource: { type: 'invoice', name: 'INV-1' } };
    const others = evaluations.map((one, at) => (at < 1_000 ? failing : one));
    const later = await pdp.decideAll({
      ...{ ...defaults, evaluations: others, context: { n: 0 } },
      options: { evaluations_semantic: 'permit_on_first_permit' },
    });
    expect(later.slice(999, 1_002)).toMatchObject([
      { ok: false, error: { code: 'evaluation_failed' } },
      { ok: true, decision: { allowed: true } },
      { ok: false, error: { code: 'not_evaluated' } },
    ]);
    await expect(pdp.decideAll({ ...defaults, evaluations: 7 } as never)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(await pdp.decideAll({ ...defaults, evaluations: [] })).toEqual([]);
  });

  it('decides a long batch as it was asked, whatever becomes of the question meanwhile', async () => {
    const evaluations = Array.from({ length: 2_500 }, () => ask('carl', 'read', 'INV-1'));
    const decided = pdp.decideAll({ evaluations });
    for (const { subject } of evaluations) subject.id = 'alice';
    evaluations.length = 0;
    const outcomes = await decided;
    expect(outcomes.length).toBe(2_500);
    expect(outcomes.filter((one) => !one.ok || one.decision.allowed)).toEqual([]);
  });

  it('rejects with an error of the service whatever it is asked', async () => {
    const thrower = {
      get evaluations() {
        throw new TypeError('no');
      },
    };
    for (const asked of [undefined, null, 7, () => {}, thrower] as never[]) {
      expect(() => pdp.decide(asked)).toThrow(ServiceError);
      await expect(pdp.decideAll(asked, { orDeny: true })).rejects.toBeInstanceOf(ServiceError);
      await expect(pdp.filterRows(asked)).rejects.toBeInstanceOf(ServiceError);
      await expect(all(pdp.searchSubjects(asked))).rejects.toBeInstanceOf(ServiceError);
    }
    expect(() => pdp.decide(undefined as never)).toThrow('The question is undefined: give an object.');
  });

  it('searches, and filters rows', async () => {
    const { subject, action } = ask('alice', 'pay', '');
    const resource = { type: 'invoice' };
    expect(await all(pdp.searchResources({ subject, action, resource }))).toEqual([{ type: 'invoice', id: 'INV-1' }]);
    expect(
      await all(
        pdp.searchSubjects({
          subject: { type: 'user' },
          action: { name: 'read' },
          resource: { type: 'invoice', name: 'INV-1' },
        }),
      ),
    ).toEqual([
      { type: 'user', id: 'alice' },
      { type: 'user', id: 'bob' },
    ]);
    expect(await all(pdp.searchActions({ subject, resource: { type: 'invoice', name: 'INV-1' } }))).toEqual([
      { name: 'pay' },
      { name: 'read' },
    ]);
    expect(await pdp.filterRows({ subject, action, resource })).toMatchObject({ kind: 'some' });
    await expect(pdp.filterRows({ subject, action } as never)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('names the file and the line of what is wrong with a tree', async () => {
    const wrong = join(folder, 'wrong');
    rmSync(wrong, { recursive: true, force: true });
    await expect(EmbeddedPdp.fromTree(wrong)).rejects.toMatchObject({ code: 'invalid_config' });
    writeFileSync(`${wrong}.yaml`, 'version: 1\nroles: { r: { includs: [x] } }\n');
    await expect(EmbeddedPdp.fromTree(`${wrong}.yaml`)).rejects.toMatchObject({
      code: 'invalid_records',
      detail: expect.stringContaining('wrong.yaml:2:'),
    });
    rmSync(`${wrong}.yaml`);
  });
});

describe('a decision point that is started', () => {
  const cacheDir = join(tmpdir(), 'embedded-never');
  it.each([
    ['neither cloud nor files', { cacheDir }, 'cloudUrl and apiKey are required, or bundleUrl.'],
    [
      'an address that is none',
      { cacheDir, cloudUrl: 'cloud', apiKey: 'svc_x' },
      'cloudUrl is a text that it cannot be: give an http or https address without user, password, query and fragment.',
    ],
    [
      'files without keys',
      { cacheDir, bundleUrl: 'https://cdn.test/' },
      'bundleUrl needs tenantId and bundleJwks: a web server proves nothing of who made its files.',
    ],
    [
      'a maximum age that is too short',
      { cacheDir, cloudUrl: 'http://127.0.0.1:9', apiKey: 'svc_x', maxAgeMs: 10 },
      'maxAgeMs is 10, less than two poll intervals: give at least 60000.',
    ],
    [
      'an option that there is not',
      { cacheDir, cloudUrl: 'http://127.0.0.1:9', apiKey: 'svc_x', maxAge: 60_000 },
      expect.stringMatching(/^There is no option "maxAge": there are cloudUrl, .*maxAgeMs/),
    ],
    ['nothing', undefined, 'There are no options: give an object with cloudUrl, apiKey and cacheDir.'],
  ])('refuses %s', async (_, options, detail) => {
    await expect(EmbeddedPdp.start(options as never)).rejects.toMatchObject({ code: 'invalid_config', detail });
  });

  it.each([
    ['apiKey', 'svc_secret\n'],
    ['apiKey', { key: 'svc_secret' }],
    ['cloudUrl', 'https://user:svc_secret@cloud.test'],
    ['cacheDir', undefined],
    ['cacheDir', ''],
    ['cacheDir', 7],
    ['pollIntervalMs', Number.POSITIVE_INFINITY],
    ['pollIntervalMs', '30000'],
    ['maxAgeMs', '60000'],
    ['maxAgeMs', null],
    ['readyMs', Number.NaN],
    ['readyMs', 1e12],
    ['allowRollback', 'false'],
    ['bundleJwks', '{}'],
    ['bundleHeader', 'svc_secret'],
    ['tenantId', 7],
    ['log', {}],
  ])('refuses for %s the value %j, and shows no secret', async (name, value) => {
    const options = { cacheDir, cloudUrl: 'http://127.0.0.1:9', apiKey: 'svc_x', [name]: value };
    await expect(EmbeddedPdp.start(options as never)).rejects.toMatchObject({
      code: 'invalid_config',
      detail: expect.stringMatching(new RegExp(`^${name} (?!.*svc_secret)`)),
    });
  });

  it('is not ready where nothing comes, and says why', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'embedded-'));
    const started = EmbeddedPdp.start({ cloudUrl: 'http://127.0.0.1:9', apiKey: 'svc_x', cacheDir: dir, readyMs: 300 });
    await expect(started).rejects.toMatchObject({ code: 'not_ready', detail: expect.stringContaining('127.0.0.1:9') });
    rmSync(dir, { recursive: true, force: true });
  });
});
