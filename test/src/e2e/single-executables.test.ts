import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';
import { bundleOf, tenant } from './agent/tenant-fixture.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8'));
const PROGRAMS = ['servicectl', 'service-agent'];

let folder: string;
/** Nothing but the programs and a tenant. */
let place: string;
beforeAll(() => {
  if (process.platform !== 'linux') return;
  folder = mkdtempSync(join(tmpdir(), 'single-executables-'));
  place = join(folder, 'place');
  mkdirSync(place);
  pack('release', PROGRAMS);
  for (const name of PROGRAMS) {
    const [archive] = archivesOf(name);
    const files = unzipSync(readFileSync(join(folder, 'release', archive ?? '')));
    expect(Object.keys(files).sort()).toEqual(['LICENSE', 'LICENSES.txt', name]);
    expect(Buffer.from(files['LICENSES.txt'] ?? []).toString()).toMatch(/^zod \d+\.\d+\.\d+: MIT$/m);
    writeFileSync(join(place, name), files[name] ?? '', { mode: 0o755 });
  }
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pack(out: string, programs: readonly string[]): void {
  const names = programs.flatMap((name) => ['--program', name]);
  execFileSync(process.execPath, [join(root, 'scripts/package-programs.mjs'), '--out', join(folder, out), ...names]);
}

const archivesOf = (name: string) =>
  readdirSync(join(folder, 'release')).filter((one) => one.startsWith(name) && one.endsWith('.zip'));

/** Runs a program where there is no Node, without any variable. */
function run(name: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(join(place, name), args, { cwd: place, env: {}, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe.skipIf(process.platform !== 'linux')('programs in one file', () => {
  it('have digests beside their archives', () => {
    for (const name of PROGRAMS) {
      const lines = archivesOf(name).map((archive) => {
        const digest = createHash('sha256').update(readFileSync(join(folder, 'release', archive)));
        return `${digest.digest('hex')}  ${archive}\n`;
      });
      expect(readFileSync(join(folder, 'release', `${name}_${version}_SHA256SUMS`), 'utf8')).toBe(lines.join(''));
    }
  });

  it('have the same bytes when they are built again', () => {
    pack('again', ['service-agent']);
    const sums = `service-agent_${version}_SHA256SUMS`;
    expect(readFileSync(join(folder, 'again', sums), 'utf8')).toBe(readFileSync(join(folder, 'release', sums), 'utf8'));
  });

  it('say their version', () => {
    expect(run('servicectl', '--version')).toMatchObject({
      ...{ status: 0, stderr: '' },
      stdout: expect.stringContaining(`servicectl ${version} (`),
    });
    expect(run('service-agent', '--version')).toMatchObject({
      ...{ status: 0, stderr: '' },
      stdout: expect.stringContaining(`${version} (`),
    });
  });

  it('judge a tree with all of its tests', () => {
    const github = join(root, 'examples/github-org');
    execFileSync(process.execPath, [join(github, 'dist/main.js'), join(github, 'organizations'), join(place, 'guild')]);
    cpSync(join(github, 'access.test.yaml'), join(place, 'guild/access.test.yaml'));
    expect(run('servicectl', 'validate', 'guild')).toMatchObject({ status: 0, stderr: '' });
    expect(run('servicectl', 'test', 'guild')).toMatchObject({ status: 0, stdout: expect.stringContaining('passed') });
    const foreign = { version: 1, policies: { p: { effect: 'MAYBE' } } };
    writeFileSync(join(place, 'wrong.yaml'), JSON.stringify(foreign));
    expect(run('servicectl', 'validate', 'wrong.yaml')).toMatchObject({ status: 1 });
  });

  it.each<[string, string[], number, RegExp]>([
    ['help', ['--help'], 0, /^Authorization from records in Git/],
    ['help of a command', ['help', 'plan'], 0, /USAGE\n {2}\$ servicectl plan/],
    ['help of a topic', ['agent'], 0, /agent start/],
    ['a command misspelt', ['valdate'], 1, /Did you mean "validate"\?/],
    ['what needs the cloud', ['cloud', 'start'], 1, /npm install @authz-service\/cloud@/],
    ['what needs the provider', ['provider', 'install'], 1, /a single file without the provider/],
  ])('answer %s as the program on Node does', (_, args, status, text) => {
    const { stdout, stderr, ...done } = run('servicectl', ...args);
    expect(done).toEqual({ status });
    expect(`${stdout}${stderr}`).toMatch(text);
    expect(stderr).not.toContain('Warning');
  });

  it('decide from a bundle', async () => {
    const cloud = await ScriptedCloud.start();
    await cloud.serve(bundleOf(tenant({})));
    const command = [join(place, 'service-agent')];
    const agent = new AgentProcess({ command, cwd: place, env: agentEnv(place, cloud.url, { PATH: '' }) });
    try {
      await agent.serves(tenant({}).revision);
      expect([await agent.allows('alice'), await agent.allows('mallory')]).toEqual([true, false]);
      const question = ['--subject', 'user:alice', '--action', 'read', '--resource', 'invoice:INV-1', '--json'];
      const answer = run('servicectl', 'authorize', '--url', await agent.url(), ...question);
      expect(answer).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('"decision":true') });
      expect(existsSync(join(place, '.service/bundles'))).toBe(true);
    } finally {
      await agent.kill();
      await cloud.stop();
    }
    expect(agent.noise).toEqual([]);
  });
});
