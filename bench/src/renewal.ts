/**
 * A real agent answers requests while it fetches, verifies, compiles and stores the next revision of a tenant of a million
 * records; prints how long the requests took as JSON.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { digestRecords } from '@authz-service/core/bundle/digest';
import { makeBundleKey, signingKey } from '@authz-service/core/bundle/make-key';
import { signStatement, statementOf } from '@authz-service/core/bundle/statement';
import { packBundle } from '@authz-service/core/bundle/write';
import { revisionText } from '@authz-service/core/state/revision';
import { answering, root, script, start, stop } from './processes.js';
import { engineTenant, questions, type Size } from './tenant.js';

export interface RenewalFigures {
  records: number;
  requests: number;
  /** From the release of the bundle to its being served. */
  seconds: number;
  /** Milliseconds that requests took meanwhile. */
  p50: number;
  p99: number;
  max: number;
  /** The 99th percentile of as many requests before. */
  quietP99: number;
}

const SIZE: Size = { subjects: 150_000, resources: 150_000, roles: 10_000, policies: 190_000, types: 1000 };
const PER_SECOND = 500;
const QUIET_MS = 5000;
const RENEWAL_MS_MAX = 60_000;

const key = await makeBundleKey();
const signer = await signingKey(key.kid, key.privateJwk);

async function archive(number: number, records: EngineRecord[]): Promise<{ etag: string; bytes: Buffer }> {
  const digest = digestRecords(records);
  const revision = revisionText(number, digest);
  const bundle = { format: 1 as const, revision, tenants: [{ id: 'bench', name: 'bench', revision, digest, records }] };
  const sign = (sha256: string) => signStatement(statementOf(bundle, sha256, new Date()), signer);
  return { etag: `"${revision}"`, bytes: await packBundle(bundle, sign) };
}

const records = [...engineTenant(SIZE)];
const first = await archive(1, records);
// A few records are removed, and two resources have changed.
const changed = records.slice(0, -5);
for (const at of [10_000, 100_000]) {
  const { kind, id, fields } = changed[at] as EngineRecord;
  changed[at] = { kind, id, fields: { ...fields, properties: { state: 'closed' } } } as EngineRecord;
}
const second = await archive(2, changed);

let current = first;
let released: () => void = () => {};
const release = new Promise<void>((resolve) => {
  released = resolve;
});
const cloud = createServer(async (request, response) => {
  if (request.url === '/.well-known/jwks.json') {
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ keys: [key.publicKey], announcements: [] }));
  }
  // The answer is held until there is something newer, as in the real cloud.
  if (request.headers['if-none-match'] === current.etag) await release;
  response.setHeader('preference-applied', 'wait=30');
  response.setHeader('etag', current.etag);
  if (request.headers['if-none-match'] === current.etag) {
    response.statusCode = 304;
    return response.end();
  }
  response.setHeader('content-type', 'application/gzip');
  response.end(current.bytes);
}).listen(0, '127.0.0.1');
await once(cloud, 'listening');

const folder = mkdtempSync(join(tmpdir(), 'authz-bench-'));
const agent = await start(join(root, 'node_modules/.bin/service-agent'), [], {
  HOME: folder,
  SERVICE_API_KEY: 'svc_bench',
  SERVICE_CLOUD_URL: `http://127.0.0.1:${(cloud.address() as AddressInfo).port}`,
  SERVICE_LISTEN_ADDR: '127.0.0.1:0',
  SERVICE_CACHE_DIR: join(folder, 'cache'),
});
try {
  await answering(`${agent.url}/readyz`);
  writeFileSync(join(folder, 'questions.json'), JSON.stringify(questions(SIZE, 2000)));
  const load = spawn(
    process.execPath,
    [script('steady-load'), agent.url, `${PER_SECOND}`, join(folder, 'questions.json')],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const answers = text(load.stdout);
  // Twice: the first half warms both up.
  await wait(2 * QUIET_MS);
  const begun = Date.now();
  current = second;
  released();
  for (let revision = ''; revision !== second.etag.slice(1, -1); await wait(20)) {
    ({ revision } = (await (await fetch(`${agent.url}/v1/status`)).json()) as { revision: string });
    if (Date.now() > begun + RENEWAL_MS_MAX) throw new Error(`The agent still serves ${revision}`);
  }
  const ended = Date.now();
  await wait(1000);
  load.stdin.end();
  const samples = JSON.parse(await answers) as [sentAt: number, ms: number][];
  const taken = (from: number, to: number) =>
    samples
      .filter(([sentAt]) => sentAt >= from && sentAt <= to)
      .map(([, ms]) => ms)
      .sort((left, right) => left - right);
  // What the old engine leaves behind is cleared away just after.
  const meanwhile = taken(begun, ended + 1000);
  const quiet = taken(begun - QUIET_MS, begun);
  const at = (values: number[], part: number) => values[Math.floor(values.length * part)] ?? Number.NaN;
  const figures: RenewalFigures = {
    records: changed.length,
    requests: meanwhile.length,
    seconds: (ended - begun) / 1000,
    p50: at(meanwhile, 0.5),
    p99: at(meanwhile, 0.99),
    max: meanwhile.at(-1) ?? Number.NaN,
    quietP99: at(quiet, 0.99),
  };
  process.stdout.write(JSON.stringify(figures));
} finally {
  await stop(agent);
  cloud.close();
  cloud.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
