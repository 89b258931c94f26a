/**
 * The main job, end to end, on free ports and in a temporary folder: records in Git → plan → apply → decisions from
 * cloud and agent → the cloud stops, the agent goes on. Ends by itself and leaves nothing behind.
 *   node scripts/demo.mjs
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createInterface as createTerminal } from 'node:readline/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => join(root, 'node_modules/.bin', name);
const bold = (text) => (process.stdout.isTTY && !process.env.NO_COLOR ? `\u001b[1m${text}\u001b[0m` : text);
const say = (text = '') => process.stdout.write(`${text}\n`);

say('Building the programs: up to a minute the first time.');
build({ quiet: true });

const folder = mkdtempSync(join(tmpdir(), 'authz-service-demo-'));
const running = [];
const base = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_')));
const environment = { ...base, HOME: folder };

/** Starts a program and resolves with the URL that a JSON line of its output contains. */
function start(command, args, env, stream) {
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  return new Promise((resolve, reject) => {
    const seen = [];
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}:\n${seen.join('\n')}`)));
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        seen.push(line);
        const url = output === child[stream] && line.startsWith('{') ? JSON.parse(line).url : undefined;
        if (url) resolve({ child, url });
      });
    }
  });
}

function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  return gone;
}

/** Runs the CLI and shows its output; `hush` shows only the result, `quiet` shows nothing. */
function service(args, { hush = false, quiet = false } = {}) {
  if (!quiet) say(bold(`$ servicectl ${args.join(' ')}`));
  const output = execFileSync(bin('service'), args, {
    cwd: root,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', hush || quiet ? 'ignore' : 'inherit'],
  });
  if (!quiet) say(output.trimEnd());
  return output;
}

const questions = [
  ['user:alice', 'read', 'invoice:INV-1', 'a clerk through her group'],
  ['user:bob', 'approve', 'invoice:INV-1', 'within his limit'],
  ['user:bob', 'approve', 'invoice:INV-2', 'above his limit'],
  ['user:bob', 'pay', 'invoice:INV-3', 'closed: DENY outranks ALLOW'],
  ['user:carol', 'edit', 'page:handbook', 'writers edit'],
  ['user:mallory', 'read', 'invoice:INV-1', 'nobody we know'],
];

async function ask(url, [subject, action, resource]) {
  const [[subjectType, subjectId], [resourceType, resourceName]] = [subject.split(':'), resource.split(':')];
  const response = await fetch(`${url}/v1/authorize`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(url === environment.SERVICE_CLOUD_URL ? { authorization: `Bearer ${environment.DEMO_KEY}` } : {}),
    },
    body: JSON.stringify({
      subject: { type: subjectType, id: subjectId },
      action: { name: action },
      resource: { type: resourceType, name: resourceName },
    }),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function table(places) {
  const word = (answer) => (answer.decision ? 'allow' : 'deny');
  for (const question of questions) {
    const answers = await Promise.all(places.map((place) => ask(place, question)));
    const said = answers.map((answer) => word(answer).padEnd(7)).join('');
    say(`  ${question[0].padEnd(13)} ${question[1].padEnd(8)} ${question[2].padEnd(15)} ${said} ${question[3]}`);
    if (new Set(answers.map((answer) => JSON.stringify(answer))).size !== 1)
      throw new Error('cloud and agent disagree');
  }
}

async function health(url, wanted) {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const report = await (await fetch(`${url}/healthz`)).json();
    if (wanted(report)) return report;
    await wait(50);
  }
  throw new Error(`${url}/healthz did not become what was awaited`);
}

try {
  say(bold('1. A cloud on SQLite, and a tenant applied from Git'));
  environment.SERVICE_CLIENT_ID = 'demo-admin';
  environment.SERVICE_CLIENT_SECRET = randomBytes(24).toString('base64url');
  const cloud = await start(
    bin('service'),
    ['cloud', 'start', '--data-dir', join(folder, 'cloud'), '--listen-addr', '127.0.0.1:0'],
    {
      ...environment,
      SERVICE_BOOTSTRAP_CLIENT_ID: environment.SERVICE_CLIENT_ID,
      SERVICE_BOOTSTRAP_CLIENT_SECRET: environment.SERVICE_CLIENT_SECRET,
    },
    'stdout',
  );
  environment.SERVICE_CLOUD_URL = cloud.url;
  service(['plan', 'examples/tenant']);
  say();
  service(['apply', 'examples/tenant', '--yes'], { hush: true });
  say();
  service(['plan', 'examples/tenant']);

  say(`\n${bold('2. An agent beside the application')}`);
  const key = (name, scope) =>
    JSON.parse(service(['keys', 'create', name, '--scope', scope, '--json'], { quiet: true })).secret;
  environment.DEMO_KEY = key('demo-caller', 'decisions');
  const agent = await start(
    bin('service-agent'),
    [],
    {
      ...base,
      HOME: folder,
      SERVICE_API_KEY: key('demo-agent', 'bundle'),
      SERVICE_CLOUD_URL: cloud.url,
      SERVICE_LISTEN_ADDR: '127.0.0.1:0',
      SERVICE_POLL_INTERVAL: '200ms',
      SERVICE_CACHE_DIR: join(folder, 'bundles'),
    },
    'stderr',
  );
  const ready = await health(agent.url, (report) => Boolean(report.bundle_revision));
  say(`  the agent is ready with revision ${ready.bundle_revision}\n`);
  say(`  ${''.padEnd(38)} cloud  agent`);
  await table([cloud.url, agent.url]);
  say();
  service(['authorize', '--subject', 'user:bob', '--action', 'pay', '--resource', 'invoice:INV-3', '--explain']);

  if (process.stdin.isTTY && process.stdout.isTTY) {
    say(`\n${bold('Meanwhile: the console')}`);
    service(['console']);
    const terminal = createTerminal({ input: process.stdin, output: process.stdout });
    await terminal.question('  Press Enter to go on. ');
    terminal.close();
  }

  say(`\n${bold('3. The cloud stops; the agent goes on')}`);
  await stop(cloud.child);
  const degraded = await health(agent.url, (report) => report.degraded);
  say(`  GET /healthz → ${JSON.stringify(degraded)}\n`);
  say(`  ${''.padEnd(38)} agent`);
  await table([agent.url]);
  say('\nDone. Nothing was left running; the tenant is in examples/tenant.');
} finally {
  await Promise.all(running.map(stop));
  rmSync(folder, { recursive: true, force: true });
}
