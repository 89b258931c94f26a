import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv } from '../e2e/agent/agent-process.js';
import { asking } from '../e2e/agent/tenant-fixture.js';
import { ADMINISTRATOR, CloudProcess } from '../e2e/cloud/cloud-process.js';
import { DECISION_PATHS, decisionProbe, faultOf, gist, TENANT } from './fuzz/decisions.js';
import { operationProbe, operationsOf, strayProbe } from './fuzz/endpoints.js';
import { type Probe, type Reply, send, sendRaw } from './fuzz/exchange.js';
import { FRAMES } from './fuzz/frames.js';
import { residentMib } from './memory.js';
import { chosenSeed, Random } from './random.js';

/** For each of agent and cloud: 10,000 together. */
const DECISIONS = 5_500;
const STRAYS = 2_500;
const FRAMED = 2_000;
const AT_ONCE = 8;
/** How much memory may grow after warming up: garbage that is not collected yet. */
const GROWTH_MIB = { agent: 80, cloud: 120 };

const seed = chosenSeed();
const told = `SERVICE_FAULT_SEED=${seed} repeats it`;
const connections = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

let dir: string;
let cloud: CloudProcess;
let agent: AgentProcess;
let urls: { cloud: string; agent: string };
/** A credential with all scopes, and one that may only ask for decisions. */
let keys: { admin: string; asks: string; bundle: string };
let rest: { cloud: number | undefined; agent: number | undefined };

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fuzz-'));
  cloud = new CloudProcess(join(dir, 'cloud'));
  const admin = await cloud.client();
  await admin.changeset({ changes: TENANT });
  const keyFor = async (
    name: string,
    scopes: ('decisions' | 'bundle' | 'records:read' | 'records:write' | 'credentials')[],
    operator = false,
  ) => {
    const { secret } = await admin.records('api_key').create({ name, scopes, ...(operator && { operator }) });
    return String(secret);
  };
  const every = ['decisions', 'bundle', 'records:read', 'records:write', 'credentials'] as const;
  keys = {
    admin: await keyFor('admin', [...every], true),
    asks: await keyFor('asks', ['decisions']),
    bundle: await keyFor('agent', ['bundle']),
  };
  agent = new AgentProcess({
    env: agentEnv(dir, await cloud.url(), {
      SERVICE_API_KEY: keys.bundle,
      SERVICE_POLL_INTERVAL: '500ms',
      SERVICE_DECISION_LOG: 'true',
    }),
  });
  await agent.healthy(({ status }) => status === 'ok');
  urls = { cloud: await cloud.url(), agent: await agent.url() };
});
afterAll(async () => {
  connections.destroy();
  await agent?.kill();
  await cloud?.kill();
  rmSync(dir, { recursive: true, force: true });
});

/** Does it so many times, a few at once. Returns the faults found, each with the number of its request. */
async function times(count: number, one: (index: number) => Promise<string | undefined>): Promise<string[]> {
  const faults: string[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count && faults.length < 5) {
      const index = next++;
      const fault = await one(index);
      if (fault !== undefined) faults.push(`request ${index}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return faults;
}

const described = ({ method, path, headers, body }: Probe, reply: Reply | undefined, fault: string) =>
  `${fault}, to ${method} ${path.slice(0, 200)} ${JSON.stringify(headers)} ${body?.toString('latin1').slice(0, 300)}: ${reply?.status} ${reply?.text.slice(0, 300)}`;

const withKey = (probe: Probe, key: string): Probe => ({
  ...probe,
  headers: { ...probe.headers, authorization: `Bearer ${key}` },
});

/** Why a reply to something that is not a valid request is wrong. */
function strayFault({ status, type, text }: Reply): string | undefined {
  if (status >= 500) return 'an error of the server';
  if (text.includes('"decision":true')) return 'a grant';
  // An answer to HEAD has none.
  if (text !== '' && /json/.test(type)) JSON.parse(text);
  return undefined;
}

describe('malformed requests', () => {
  it(`as questions get the same answer from agent and cloud, and no grant (${DECISIONS})`, async () => {
    const random = new Random(seed);
    const faults = await times(DECISIONS, async () => {
      const probe = decisionProbe(random);
      const replies = [
        await send(urls.agent, probe, connections),
        await send(urls.cloud, withKey(probe, keys.asks), connections),
      ];
      for (const reply of replies) {
        const fault = reply === undefined ? 'no answer' : faultOf(probe, reply);
        if (fault !== undefined) return described(probe, reply, fault);
      }
      const [byAgent = '', byCloud = ''] = replies.map((reply) => reply && gist(reply));
      if (byAgent !== byCloud) return described(probe, replies[0], `agent ${byAgent}, cloud ${byCloud}`);
      return undefined;
    });
    expect(faults, told).toEqual([]);
  }, 60_000);

  it(`for what is not there get no answer but a refusal from the agent (${STRAYS})`, async () => {
    rest = { agent: residentMib(agent.pid), cloud: residentMib(cloud.pid) };
    const random = new Random(seed + 1);
    const faults = await times(STRAYS, async () => {
      const probe = strayProbe(random);
      const reply = await send(urls.agent, probe, connections);
      const fault = reply === undefined ? 'no answer' : strayFault(reply);
      return fault && described(probe, reply, fault);
    });
    expect(faults, told).toEqual([]);
  }, 60_000);

  it(`to every operation of the cloud do no harm, whoever sends them (${STRAYS})`, async () => {
    const random = new Random(seed + 2);
    const { operations, document } = await operationsOf(urls.cloud);
    const basic = Buffer.from(`${ADMINISTRATOR.clientId}:${ADMINISTRATOR.clientSecret}`).toString('base64');
    const credentials = [
      `Bearer ${keys.asks}`,
      `Bearer ${keys.asks}`,
      '',
      'Bearer',
      'Bearer x',
      `Bearer ${keys.admin}x`,
      `Bearer ${keys.admin.slice(0, -1)}`,
      `Basic ${basic}`,
      keys.admin,
      `bearer eyJhbGciOiJub25lIn0.${Buffer.from('{"scope":"operator"}').toString('base64url')}.`,
    ];
    const faults = await times(STRAYS, async (index) => {
      const operation = operations[index % operations.length];
      if (operation === undefined) return 'no operations';
      // Tokens are asked for seldom: hashing secrets is meant to be slow.
      const stray = random.chance(operation.path === '/oauth/token' ? 0.8 : 0.1);
      const probe = stray ? strayProbe(random) : operationProbe(random, operation, document);
      const trusted = random.chance(0.5);
      const authorization = trusted ? `Bearer ${keys.admin}` : random.pick(credentials);
      if (random.chance(0.05)) probe.path += `${probe.path.includes('?') ? '&' : '?'}api_key=${keys.admin}`;
      const reply = await send(urls.cloud, { ...probe, headers: { ...probe.headers, authorization } }, connections);
      if (reply === undefined) return described(probe, reply, 'no answer');
      const needed = stray ? undefined : operation.scopes;
      const held = authorization === `Bearer ${keys.asks}`;
      const mine = needed === undefined || trusted || (held && (needed.length === 0 || needed.includes('decisions')));
      const fault = reply.status < 300 && !mine ? 'it did as it was told' : strayFault(reply);
      return fault && described(probe, reply, `${fault} with ${authorization.slice(0, 12)}`);
    });
    expect(faults, told).toEqual([]);
  }, 60_000);

  it.each(['agent', 'cloud'] as const)(
    `in broken frames end the connection of the %s at most (${FRAMED})`,
    async (at) => {
      const random = new Random(seed + 3);
      const frames = Object.entries(FRAMES);
      const faults = await times(FRAMED, async (index) => {
        const [name, frame] = frames[index % frames.length] ?? [];
        const path = random.pick(DECISION_PATHS);
        const headers = at === 'cloud' ? [`Authorization: Bearer ${keys.asks}`] : [];
        const bytes = Buffer.from(frame?.({ path, headers, body: asking('mallory') }, random) ?? '', 'latin1');
        const answer = await sendRaw(urls[at], bytes, random.chance(0.9) ? 'end' : 'reset');
        const broken = /^HTTP\/1\.1 5\d\d/m.test(answer) ? 'an error of the server' : undefined;
        const fault = answer.includes('"decision":true') ? 'a grant' : broken;
        return fault && `${fault} after ${name}: ${answer.slice(0, 300)}`;
      });
      expect(faults, told).toEqual([]);
    },
    60_000,
  );

  it('leave agent and cloud as they were: alive, right, of one mind, no larger, and their logs without a secret', async () => {
    for (const { pid } of [agent, cloud]) expect(() => process.kill(pid ?? 0, 0)).not.toThrow();
    const admin = await cloud.client();
    const { revision } = await admin.state();
    await agent.serves(revision);
    for (const [subject, decision] of [
      ['alice', true],
      ['mallory', false],
    ] as const) {
      expect(await agent.allows(subject)).toBe(decision);
      const question = {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.asks}`, 'content-type': 'application/json' },
        body: asking(subject),
      };
      expect(await (await fetch(`${urls.cloud}/v1/authorize`, question)).json()).toMatchObject({ decision });
    }

    const grown = { agent: residentMib(agent.pid), cloud: residentMib(cloud.pid) };
    if (grown.agent === undefined || rest.agent === undefined)
      console.warn('memory is not looked at: there is no /proc');
    else {
      expect(grown.agent - rest.agent).toBeLessThan(GROWTH_MIB.agent);
      expect((grown.cloud ?? 0) - (rest.cloud ?? 0)).toBeLessThan(GROWTH_MIB.cloud);
    }

    const basic = Buffer.from(`${ADMINISTRATOR.clientId}:${ADMINISTRATOR.clientSecret}`).toString('base64');
    const secrets = [...Object.values(keys), ADMINISTRATOR.clientSecret, basic, 'svc_', 'Bearer '];
    const logs = [...cloud.stderr, ...agent.log.map((line) => JSON.stringify(line)), ...agent.noise].join('\n');
    for (const secret of secrets) expect(logs.includes(secret), secret.slice(0, 8)).toBe(false);
    expect(agent.noise).toEqual([]);
    const errors = cloud.stderr.filter(
      (line) => line.includes('"level":"ERROR"') && !line.includes('evaluation_failed'),
    );
    expect(errors.filter((line) => !line.includes('/v1/authorize') && !line.includes('/access/v1/'))).toEqual([]);
  });
});
