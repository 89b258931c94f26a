import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from '../e2e/agent/agent-process.js';
import { ScriptedCloud } from '../e2e/agent/scripted-cloud.js';
import { bundleOf, tenant } from '../e2e/agent/tenant-fixture.js';
import { residentMib } from './memory.js';

const MIB = 1024 * 1024;
const ZEROS = gzipSync(Buffer.alloc(8 * MIB));
/** Many megabytes in few kilobytes: gzip streams may be joined (RFC 1952 section 2.2). */
const zeros = (mib: number): Buffer => Buffer.concat(Array.from({ length: mib / 8 }, () => ZEROS));

/** The head of an entry of a tar archive. */
function head(name: string, size: number, type = '0', link = ''): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write('0000644\0', 100);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write(link, 157);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

const packed = (...blocks: Buffer[]): Buffer => gzipSync(Buffer.concat(blocks));
const file = (name: string, text: string): Buffer => {
  const body = Buffer.alloc(Math.ceil(text.length / 512) * 512);
  body.write(text);
  return Buffer.concat([head(name, text.length), body]);
};
const end = Buffer.alloc(1024);

let home: string;
let cloud: ScriptedCloud;
let agent: AgentProcess;
const first = bundleOf(tenant({ revision: 1 }));

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'hostile-archives-'));
  cloud = await ScriptedCloud.start();
  await cloud.serve(first);
  agent = new AgentProcess({
    env: agentEnv(home, cloud.url, { SERVICE_POLL_INTERVAL: '20ms' }),
  });
  await agent.healthy(({ status }) => status === 'ok');
});
afterAll(async () => {
  await agent?.kill();
  await cloud?.stop();
  rmSync(home, { recursive: true, force: true });
});

describe('an agent goes on with the last good revision while the cloud', () => {
  it.each<[string, () => Buffer]>([
    [
      'sends an entry that unpacks to less than the bound and means nothing',
      () => Buffer.concat([gzipSync(head('bundle.json', 256 * MIB)), zeros(256)]),
    ],
    [
      'sends an archive that unpacks without end',
      () => Buffer.concat([gzipSync(head('bundle.json', 500 * MIB)), zeros(2048)]),
    ],
    [
      'sends an archive that unpacks without end behind its end mark',
      () => Buffer.concat([packed(file('bundle.json', '{}'), end), zeros(2048)]),
    ],
    ['sends nothing but zeros', () => zeros(2048)],
    ['sends a size below zero', () => packed(head('bundle.json', -1), end)],
    ['sends the entry twice', () => packed(file('bundle.json', '{}'), file('bundle.json', '{}'), end)],
    [
      'sends thousands of entries',
      () => packed(...Array.from({ length: 50_000 }, (_, index) => head(`f${index}`, 0)), end),
    ],
    ['sends a path out of the folder', () => packed(file('../../bundle.json', '{}'), end)],
    ['sends a link', () => packed(head('bundle.json', 0, '2', '/etc/passwd'), end)],
    ['sends an archive in an archive', () => gzipSync(packed(file('bundle.json', '{}'), end))],
    ['sends an archive that nests without end', () => packed(file('bundle.json', `{"a":${'['.repeat(200_000)}`), end)],
    ['sends no object', () => packed(file('bundle.json', 'null'), end)],
  ])('%s', async (_, archive) => {
    const bytes = archive();
    cloud.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/gzip', etag: '"2.0000000000000000"' }).end(bytes);
    });
    const before = await agent.health();
    await agent.healthy(({ consecutive_failures }) => consecutive_failures >= 1);
    expect(await agent.allows('alice')).toBe(true);
    expect(await agent.health()).toMatchObject({ degraded: true, bundle_revision: before.bundle_revision });
    expect((await agent.get('/readyz')).status).toBe(200);
    // Twice what the largest bundle may unpack to.
    expect(residentMib(agent.pid) ?? 0).toBeLessThan(1024);
    await cloud.serve(first);
    await agent.healthy(({ status }) => status === 'ok');
  });

  it('sends so slowly that it never falls silent, and follows once all is there', async () => {
    const next = bundleOf(tenant({ revision: 2, readers: ['bob'] }));
    const archive = await cloud.signer.pack(next);
    let sent = 0;
    let asked = 0;
    let hurry = false;
    cloud.answer((_request, response) => {
      asked++;
      sent = 0;
      response.writeHead(200, { 'content-type': 'application/gzip', etag: `"${next.revision}"` });
      const more = () => {
        if (hurry) {
          response.end(archive.subarray(sent));
        } else {
          response.write(archive.subarray(sent, sent + 1));
          sent++;
          setTimeout(more, 10);
        }
      };
      more();
    });
    await until(() => expect(sent).toBeGreaterThan(50));
    expect(await agent.allows('alice')).toBe(true);
    expect(await agent.health()).toMatchObject({ status: 'ok', bundle_revision: first.revision });
    expect(asked).toBe(1);
    hurry = true;
    await agent.serves(next.revision);
    expect(await agent.allows('alice')).toBe(false);
  });
});
