import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DecisionPoint } from './guarded-routes/decision-point.js';
import { peer } from './peer.js';

const sdk = fileURLToPath(new URL('../../../sdk/node', import.meta.url));

/** Prints what each kind of call gives. */
const PROGRAM = `
import { ServiceClient } from '@authz-service/sdk/client';
import { ServiceError } from '@authz-service/sdk/service-error';

const [url] = process.argv.slice(2);
const question = (id) => ({
  subject: { type: 'user', id },
  action: { name: 'read' },
  resource: { type: 'invoice', id: 'INV-1' },
});
const client = new ServiceClient({ url });
const joining = new ServiceClient({ url, batching: true, discover: true });
const [one, two] = await Promise.all(['alice', 'bob'].map((id) => joining.decide(question(id))));
const found = [];
for await (const { id } of client.searchSubjects({ ...question(), subject: { type: 'user' } })) found.push(id);
const failed = (work) => work.then(() => 'decided', (error) => [error instanceof ServiceError, error.code ?? error.message]);
const nobody = new ServiceClient({ url: 'http://127.0.0.1:9', retries: 0 });
const signal = AbortSignal.abort(new Error('given up'));
console.log(JSON.stringify({
  alice: (await client.decide(question('alice'))).allowed,
  bob: (await client.decide(question('bob'))).allowed,
  joined: [one.allowed, two.allowed],
  found,
  nobody: await failed(nobody.decide(question('alice'))),
  hurried: await failed(client.decide(question('alice'), { signal })),
}));
`;

const EXPECTED = {
  alice: true,
  bob: false,
  joined: [true, false],
  found: ['alice'],
  nobody: [true, 'network'],
  hurried: [false, 'given up'],
};

const RUNTIMES: [name: string, program: string | undefined, ...args: string[]][] = [
  ['Node', process.execPath],
  ['Deno', peer('deno', 'the Node SDK in Deno'), 'run', '--allow-net=127.0.0.1', '--node-modules-dir=manual'],
  ['Bun', peer('bun', 'the Node SDK in Bun'), 'run'],
];

describe('the packed Node SDK', () => {
  let point: DecisionPoint;
  let folder: string;
  beforeAll(async () => {
    point = await DecisionPoint.start();
    folder = mkdtempSync(join(tmpdir(), 'node-runtimes-'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "dependencies": { "@authz-service/sdk": "*" } }');
    mkdirSync(join(folder, 'node_modules/@authz-service'), { recursive: true });
    symlinkSync(sdk, join(folder, 'node_modules/@authz-service/sdk'));
    writeFileSync(join(folder, 'main.js'), PROGRAM);
  });
  afterAll(async () => {
    await point?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(RUNTIMES.filter(([, program]) => program))('decides in %s', async (_, program, ...args) => {
    const env = { PATH: process.env.PATH, HOME: folder };
    const command = [...args, 'main.js', await point.agent.url()];
    const { stdout } = await promisify(execFile)(program as string, command, { cwd: folder, env }).catch((error) => {
      throw new Error(`${error.stdout}${error.stderr}`);
    });
    expect(JSON.parse(stdout)).toEqual(EXPECTED);
  });
});
