import { appendFile, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@authz-service/core/values/secret';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CredentialIndex } from '../auth/credential-index.js';
import type { CredentialRow } from '../store/store.js';
import { goodCredentials, type LogFiles } from './good-credentials.js';
import { LogKey } from './log-line.js';
import { readLog } from './read-log.js';
import { RevocationLog } from './revocation-log.js';

const KEY = 'the key of the revocation log, 32';
const key = new LogKey(new Secret(KEY));

let dir: string;
let place: string;
let index: CredentialIndex;
let setBackAt: string | undefined;
let log: RevocationLog;

const row = (id: string, more: Partial<CredentialRow> = {}): CredentialRow => ({
  tenant: 't1',
  kind: 'api_key',
  id,
  hash: `hash of ${id}`,
  operator: false,
  fields: { name: id, scopes: ['decisions'] },
  ...more,
});
const start = (file = place) =>
  RevocationLog.open(file, key, {
    credentials: index,
    store: { setBackAt: async () => setBackAt },
    log: pino({ level: 'silent' }),
    now: () => Date.parse('2026-06-01T00:00:00Z'),
  });
/** The tenant has these credentials at this revision, which is acknowledged. */
const commit = async (revision: number, ...rows: CredentialRow[]) => {
  index.advance({ tenant: 't1', revision, rows });
  await log.settle('t1');
};
/** The addresses that are turned on of a backup with these credentials, of which the last changed at the revision `changedAt`. */
const restored = (rows: CredentialRow[], files: string[] = [place], changedAt = 0) => {
  const store = {
    tenants: async () => [{ id: 't1', name: 'acme', created_at: '' }],
    credentials: async () => rows,
    credentialsSince: async (asked: readonly { tenant: string; since: number }[]) =>
      asked.map(({ tenant, since }) => ({ tenant, revision: changedAt, rows: since < changedAt ? rows : undefined })),
    setBackAt: async () => setBackAt,
  };
  const logFiles: LogFiles = { files, keyFile: join(dir, 'key') };
  return goodCredentials(store, logFiles).then(({ good }) => good.flatMap(({ addresses }) => addresses));
};

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'revocations-'));
  place = join(dir, 'log');
  setBackAt = undefined;
  await writeFile(join(dir, 'key'), `${KEY}\n`);
  index = new CredentialIndex(
    [row('a'), row('b'), row('other', { tenant: 't2' })],
    new Map([
      ['t1', 1],
      ['t2', 1],
    ]),
  );
  log = await start();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await log.close().catch(() => undefined);
  await rm(dir, { recursive: true, force: true });
});

describe('a revocation log', () => {
  it.each<[string, CredentialRow[], string[]]>([
    ['is still there', [row('a')], ['api_key/a']],
    ['was removed', [], []],
    ['has another secret', [row('a', { hash: 'another' })], []],
    ['has fewer rights', [row('a', { fields: { name: 'a', scopes: [] } })], []],
    [
      'ends earlier',
      [row('a', { fields: { name: 'a', scopes: ['decisions'], expires_at: '2026-07-01T00:00:00.000Z' } })],
      [],
    ],
    ['became an operator', [row('a', { operator: true })], []],
    ['was turned off', [row('a', { off_since: '2026-05-01T00:00:00.000Z' })], []],
    ['was renamed', [row('a', { fields: { name: 'z', scopes: ['decisions'] } })], ['api_key/a']],
  ])('says whether a credential of a backup is good that %s', async (_, now, good) => {
    await commit(2, ...now);
    expect(await restored([row('a'), row('b')])).toEqual(good);
    const text = await readFile(place, 'utf8');
    for (const secret of ['hash of', 'another', 'decisions', KEY]) expect(text).not.toContain(secret);
  });

  it('has what was acknowledged, whatever follows it: an end, a torn line, another start', async () => {
    await commit(2, row('a'));
    expect(await restored([row('a'), row('b')])).toEqual(['api_key/a']);
    await log.close();
    await appendFile(place, 'half a li');
    expect(await restored([row('a'), row('b')])).toEqual(['api_key/a']);
    log = await start();
    await commit(3);
    expect(await restored([row('a'), row('b')])).toEqual([]);
    expect((await readLog(place, key)).endsAt).toBe('2026-06-01T00:00:00.000Z');
  });

  it('proves at a start that the database was set back, and stays as it is until somebody has said what is good', async () => {
    await commit(2, row('b'));
    await log.close();
    const before = await readFile(place, 'utf8');
    // The credential that was removed is there again.
    index = new CredentialIndex([row('a'), row('b')], new Map([['t1', 1]]));
    for (let turn = 0; turn < 2; turn++) {
      log = await start();
      expect([log.isSetBack, log.reason]).toEqual([
        true,
        expect.stringMatching(/revision 1 of the tenant t1, and .* 2\./),
      ]);
      await expect(log.assertWritable()).rejects.toMatchObject({ code: 'storage_failed' });
      await log.settle('t1');
      await log.alive();
      await log.close();
      expect(await readFile(place, 'utf8')).toBe(before);
    }
    log = await start();
    expect(await restored([row('a'), row('b')])).toEqual(['api_key/b']);
    index.advance({ tenant: 't1', revision: 1, rows: [row('a', { off_since: '2026-06-01T00:00:00.000Z' }), row('b')] });
    setBackAt = '2026-06-01T00:00:00.000Z';
    await log.restate();
    expect([log.isSetBack, log.reason]).toEqual([false, undefined]);
    await log.assertWritable();
    await log.close();
    log = await start();
    expect(log.isSetBack).toBe(false);
  });

  it.each<[string, () => void]>([
    ['was restored in the right way', () => (setBackAt = '2026-06-01T00:00:00.000Z')],
    ['lost a tenant, which may have been removed', () => (index = new CredentialIndex([]))],
    ['has gone on', () => (index = new CredentialIndex([row('b')], new Map([['t1', 3]])))],
  ])('says nothing of a database that %s', async (_, happen) => {
    await commit(2, row('b'));
    await log.close();
    index = new CredentialIndex([row('a')], new Map([['t1', 1]]));
    happen();
    log = await start();
    expect(log.isSetBack).toBe(false);
  });

  it('acknowledges nothing while it cannot be written, and says all once it can be', async () => {
    const handle = await open(place, 'r');
    const prototype = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    const full = vi.spyOn(prototype, 'datasync').mockImplementation(async () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    });
    await expect(commit(2, row('a'))).rejects.toMatchObject({
      code: 'storage_failed',
      detail: expect.stringMatching(/ENOSPC/),
    });
    await expect(log.assertWritable()).rejects.toMatchObject({ code: 'storage_failed' });
    // No credential of that tenant has changed.
    await log.settle('t2');
    full.mockRestore();
    await log.settle('t1');
    expect(await restored([row('a'), row('b')])).toEqual(['api_key/a']);
  });

  it('takes what others have committed without being asked', async () => {
    index.advance({ tenant: 't1', revision: 2, rows: [row('b')] });
    await vi.waitFor(async () => expect(await restored([row('a'), row('b')])).toEqual(['api_key/b']));
    index.forgetTenant('t1');
    await vi.waitFor(async () => expect(await restored([row('a'), row('b')])).toEqual([]));
  });

  it('belongs to one process and one key', async () => {
    await expect(start()).rejects.toThrow(/another process has it open/);
    await log.close();
    await expect(
      RevocationLog.open(place, new LogKey(new Secret('another key')), {
        credentials: index,
        store: { setBackAt: async () => undefined },
        log: pino({ level: 'silent' }),
        now: Date.now,
      }),
    ).rejects.toThrow(/no line in it was written with this key/);
  });
});

describe('the logs of several processes', () => {
  it('are read together: who knows the later revision knows', async () => {
    const [first, second] = [index, new CredentialIndex([row('a'), row('b')], new Map([['t1', 1]]))];
    const one = log;
    index = second;
    const two = await start(join(dir, 'log2'));
    const files = [place, join(dir, 'log2')];
    await one.settle('t1');
    second.advance({ tenant: 't1', revision: 2, rows: [row('a')] });
    await two.settle('t1');
    expect(await restored([row('a'), row('b')], files)).toEqual(['api_key/a']);
    expect(await restored([row('a'), row('b')], [place])).toEqual(['api_key/a', 'api_key/b']);
    first.advance({ tenant: 't1', revision: 3, rows: [] });
    await one.settle('t1');
    expect(await restored([row('a'), row('b')], files)).toEqual([]);
    await two.close();
  });

  it('count only since the database was last set back', async () => {
    await commit(9, row('a'), row('b'));
    setBackAt = '2026-05-31T00:00:00.000Z';
    index = new CredentialIndex([row('a')], new Map([['t1', 2]]));
    const two = await start(join(dir, 'log2'));
    expect(await restored([row('a'), row('b')], [place, join(dir, 'log2')])).toEqual(['api_key/a']);
    await two.close();
    await expect(restored([row('a')], [place])).rejects.toThrow(
      /set back at 2026-05-31.*and the log is from before that/,
    );
  });
});

describe('a log is refused', () => {
  beforeEach(async () => {
    await commit(2, row('a'));
    await commit(3, row('a'), row('c'));
    await log.alive();
  });

  it.each<[string, (lines: string[]) => string[], RegExp]>([
    [
      'in which a line is missing',
      ([a = '', , ...rest]) => [a, ...rest],
      /log:2 is not as the cloud wrote it.*lines are missing/,
    ],
    ['in which lines have changed places', ([a = '', b = '', c = '', ...rest]) => [a, c, b, ...rest], /log:2 is not/],
    ['whose beginning is missing', ([, ...rest]) => rest, /log:1 is not as the cloud wrote it/],
    [
      'in which a line was changed',
      ([a = '', b = '', ...rest]) => [a, b.replace('"revision":2', '"revision":1'), ...rest],
      /log:2 is not as the cloud wrote it.*it was changed/,
    ],
    [
      'whose last line was changed',
      (lines) => [...lines.slice(0, -1), lines.at(-1)?.replace('2026', '2027') ?? ''],
      /it was changed/,
    ],
    ['that is empty', () => [], /is empty/],
  ])('%s', async (_, change, said) => {
    const lines = (await readFile(place, 'utf8')).split('\n').slice(0, -1);
    await writeFile(
      place,
      change(lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
    await expect(restored([row('a')])).rejects.toThrow(said);
  });

  it('that ends before the backup', async () => {
    expect(await restored([row('a')], [place], 3)).toEqual(['api_key/a']);
    await expect(restored([row('a')], [place], 4)).rejects.toThrow(
      /"acme" is at revision 4 in the backup, and the log ends at 3/,
    );
  });

  it('that is of another database, cannot be read, or whose key is missing', async () => {
    const of = (...tenants: { id: string; created_at: string }[]) => ({
      tenants: async () => tenants.map((one) => ({ ...one, name: one.id })),
      credentials: async () => tenants.map(({ id }) => ({ ...row('a'), tenant: id })),
      credentialsSince: async () => [],
      setBackAt: async () => undefined,
    });
    const [old, known] = ['t9', 't1'].map((id) => ({ id, created_at: '2026-01-01T00:00:00.000Z' }));
    if (old === undefined || known === undefined) throw new Error('there are two');
    const files = (more: Partial<LogFiles>) => ({ files: [place], keyFile: join(dir, 'key'), ...more });
    await expect(goodCredentials(of(old), files({}))).rejects.toThrow(/knows none of the tenants/);
    const later = { ...old, created_at: '2026-06-01T00:00:00.001Z' };
    await expect(goodCredentials(of(known, later), files({}))).rejects.toThrow(/ends at 2026-06-01.* "t9" was created/);
    // It was removed before the log began.
    expect((await goodCredentials(of(known, old), files({}))).good).toHaveLength(0);
    const store = of(known);
    await expect(goodCredentials(store, files({ files: [join(dir, 'x')] }))).rejects.toThrow(
      /x cannot be read \(ENOENT\)/,
    );
    await expect(goodCredentials(store, files({ keyFile: join(dir, 'x') }))).rejects.toThrow(
      /key file .* cannot be read/,
    );
  });
});
