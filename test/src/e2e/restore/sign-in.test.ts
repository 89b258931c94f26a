import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { finished, PROGRAM } from '../cli/workbench.js';
import { ADMINISTRATOR, bootstrapEnv, CloudProcess } from '../cloud/cloud-process.js';
import { PEOPLE } from '../oidc/people.js';
import { type RunningProvider, startProvider } from '../oidc/start-provider.js';

let dir: string;
let cloud: CloudProcess;
const providers: RunningProvider[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'restore-sign-in-'));
});
afterEach(async () => {
  await cloud.kill();
  for (const provider of providers.splice(0)) provider.close();
  rmSync(dir, { recursive: true, force: true });
});

async function service(url: string, ...args: string[]) {
  const { PATH = '' } = process.env;
  const { clientId, clientSecret } = ADMINISTRATOR;
  const operator = { SERVICE_CLOUD_URL: url, SERVICE_CLIENT_ID: clientId, SERVICE_CLIENT_SECRET: clientSecret };
  const child = spawn(process.execPath, [PROGRAM, ...args, '--json'], { env: { PATH, HOME: dir, ...operator } });
  const { code, stdout, stderr } = await finished(child);
  if (code !== 0) throw new Error(`servicectl ${args.join(' ')}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

/** With a provider of its own, which knows one cloud. */
async function start(): Promise<string> {
  const provider = await startProvider();
  providers.push(provider);
  cloud = new CloudProcess(join(dir, 'cloud'), { ...bootstrapEnv(), ...provider.env });
  const url = await cloud.url();
  await provider.know(url);
  return url;
}

/** Signs in as this account of the provider; returns where the browser ends. */
async function signIn(url: string, account: string): Promise<string> {
  const jars = new Map<string, Map<string, string>>();
  let next = `${url}/console/oidc`;
  for (let hops = 0; hops < 10; hops++) {
    const { origin } = new URL(next);
    const jar = jars.get(origin) ?? new Map([['account', account]]);
    jars.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(next, { headers: { cookie }, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    next = new URL(answer.headers.get('location') ?? '', next).href;
    if (/\/console\/(sign-in\?|$)/.test(next)) return next.slice(url.length);
  }
  throw new Error(`no end: ${next}`);
}

it('lets nobody sign in by the identity provider after a restore until an operator says so', async () => {
  let url = await start();
  const tree = join(dir, 'tree.yaml');
  writeFileSync(tree, PEOPLE);
  await service(url, 'apply', tree, '--yes');
  expect(await signIn(url, 'alice')).toBe('/console/');
  const data = ['--data-dir', join(dir, 'cloud')];
  await service(url, 'cloud', 'backup', join(dir, 'backup'), ...data);
  cloud.signal('SIGTERM');
  await cloud.exited;
  await service(url, 'cloud', 'restore', join(dir, 'backup'), ...data, '--replace');

  url = await start();
  expect(await signIn(url, 'alice')).toBe('/console/sign-in?problem=not_ready');
  const off = async () =>
    (await service(url, 'credentials', 'disabled')).items.map((one: { address: string }) => one.address);
  expect(await off()).toEqual(['sign-in']);
  expect((await service(url, 'credentials', 'enable', '--all')).enabled).toEqual([]);
  expect(await signIn(url, 'alice')).toBe('/console/sign-in?problem=not_ready');
  expect((await service(url, 'credentials', 'enable', 'sign-in')).enabled).toEqual([
    { tenant: 'default', credential: 'sign-in' },
  ]);
  expect(await signIn(url, 'alice')).toBe('/console/');
  expect(await signIn(url, 'mallory')).toBe('/console/sign-in?problem=forbidden');
  expect(await off()).toEqual([]);
}, 120_000);
