/** The embedded decision point in the runtimes beside Node: from a cloud, and from its cache without one. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { peer } from '../sdk/peer.js';
import { CloudProcess } from './cloud/cloud-process.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const PROGRAM = `
import { EmbeddedPdp } from '@authz-service/embedded';

const [cloudUrl, cacheDir] = process.argv.slice(2);
const pdp = await EmbeddedPdp.start({ cloudUrl, apiKey: process.env.SERVICE_API_KEY, cacheDir });
const question = (id) => ({ subject: { type: 'user', id }, action: { name: 'read' }, resource: { type: 'files/file', id: 'a' } });
console.log(JSON.stringify(['ann', 'bob'].map((id) => pdp.decide(question(id)).allowed)));
await pdp.stop();
process.exit();
`;

const RUNTIMES: [name: string, program: string | undefined, ...args: string[]][] = [
  ['Node', process.execPath],
  ['Deno', peer('deno', 'the embedded decision point in Deno'), 'run', '-A', '--node-modules-dir=manual'],
  ['Bun', peer('bun', 'the embedded decision point in Bun'), 'run'],
];

let folder: string;
let cloud: CloudProcess;
let key: string;
let url: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'embedded-runtimes-'));
  writeFileSync(
    join(folder, 'package.json'),
    '{ "type": "module", "dependencies": { "@authz-service/embedded": "*" } }',
  );
  mkdirSync(join(folder, 'node_modules/@authz-service'), { recursive: true });
  symlinkSync(join(root, 'embedded'), join(folder, 'node_modules/@authz-service/embedded'));
  writeFileSync(join(folder, 'main.js'), PROGRAM);
  cloud = new CloudProcess(join(folder, 'cloud'));
  url = await cloud.url();
  const admin = await cloud.client();
  await admin.changeset({
    changes: [
      { op: 'create', kind: 'application', fields: { name: 'files' } },
      { op: 'create', kind: 'resource_type', fields: { application: 'files', name: 'file', actions: ['read'] } },
      { op: 'create', kind: 'subject', fields: { type: 'user', id: 'ann' } },
      {
        ...{ op: 'create', kind: 'policy' },
        fields: { application: 'files', name: 'read', effect: 'ALLOW', resource_type: 'files/file', actions: ['read'] },
      },
      {
        ...{ op: 'create', kind: 'policy_assignment' },
        fields: { policy: 'files/read', entity_type: 'subject', entity: 'user/ann' },
      },
    ],
  });
  key = String((await admin.records('api_key').create({ name: 'embedded', scopes: ['bundle'] })).secret);
}, 60_000);
afterAll(async () => {
  await cloud.kill();
  rmSync(folder, { recursive: true, force: true });
});

it.each(RUNTIMES.filter(([, program]) => program))(
  'decides in %s, also without the cloud',
  async (name, program, ...args) => {
    const decided = async (cloudUrl: string) => {
      const env = { PATH: process.env.PATH, HOME: folder, SERVICE_API_KEY: key };
      const command = [...args, 'main.js', cloudUrl, join(folder, name)];
      const { stdout } = await promisify(execFile)(program as string, command, { cwd: folder, env }).catch((error) => {
        throw new Error(`${error.stdout}${error.stderr}`);
      });
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    };
    expect(await decided(url)).toEqual([true, false]);
    expect(await decided('http://127.0.0.1:9')).toEqual([true, false]);
  },
);
