/**
 * Tries what a release would ship as a user would: packs every published package, installs the packages in an empty
 * folder, and runs the README's first steps there; it also tries the Node SDK alone. It publishes nothing and leaves
 * nothing behind. Usage: node scripts/release-check.mjs [--keep FOLDER], which keeps the packages, and what they are made of, in FOLDER.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { tryAlone } from './sdk-alone.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { keep: { type: 'string' } } });
const manifestOf = (workspace) => JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8'));

const workspaces = manifestOf('.').workspaces.filter((workspace) => !manifestOf(workspace).private);
const versions = new Set(workspaces.map((workspace) => manifestOf(workspace).version));
if (versions.size !== 1) throw new Error(`The packages are of different versions: ${[...versions].join(', ')}`);

build({ quiet: true });
const folder = mkdtempSync(join(tmpdir(), 'authz-service-release-'));
const running = [];
try {
  const packed = pack(values.keep ?? join(folder, 'packed'));
  tryWithoutCloud(packed, join(folder, 'without-cloud'));
  const user = join(folder, 'user');
  install(user, packed);
  const sbom = billOfMaterials(user);
  if (values.keep !== undefined) writeFileSync(join(values.keep, 'sbom.cdx.json'), sbom);
  const agentUrl = await useIt(user);
  synthesize(user);
  tryAlone(packed[workspaces.indexOf('sdk/node')], join(folder, 'alone'), agentUrl);
  process.stdout.write(`\n${packed.length} packages of version ${[...versions][0]} work when installed\n`);
} finally {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** One archive for each package, including the licence. */
function pack(target) {
  mkdirSync(target, { recursive: true });
  return workspaces.map((workspace) => {
    const licence = join(root, workspace, 'LICENSE');
    copyFileSync(join(root, 'LICENSE'), licence);
    try {
      const output = run('npm', ['pack', '--json', '--pack-destination', target], join(root, workspace));
      const [{ name, filename, size, files }] = JSON.parse(output);
      const paths = files.map(({ path }) => path);
      for (const needed of ['package.json', 'LICENSE'])
        if (!paths.includes(needed)) throw new Error(`The package of ${workspace} lacks ${needed}`);
      process.stdout.write(`${name}: ${paths.length} files, ${Math.round(size / 1024)} KiB packed\n`);
      return join(target, filename.replace('@', '').replace('/', '-'));
    } finally {
      rmSync(licence);
    }
  });
}

/** The CLI alone installs no native module, and says what running a cloud takes. */
function tryWithoutCloud(packed, user) {
  install(
    user,
    packed.filter((_, at) => workspaces[at] !== 'cloud'),
  );
  if (existsSync(join(user, 'node_modules/sqlite3'))) throw new Error('The CLI installs sqlite3, which is native');
  const servicectl = join(user, 'node_modules/.bin/servicectl');
  run(servicectl, ['validate', 'tenant'], user);
  const { status, stderr } = spawnSync(servicectl, ['cloud', 'start'], { cwd: user, encoding: 'utf8' });
  if (status !== 1 || !stderr.includes('npm install @authz-service/cloud@'))
    throw new Error(`Without the cloud, "servicectl cloud start" ended with ${status}:\n${stderr}`);
}

function install(user, packed) {
  mkdirSync(user);
  const manifest = { name: 'authz-service', version: [...versions][0], private: true, type: 'module' };
  writeFileSync(join(user, 'package.json'), JSON.stringify(manifest));
  cpSync(join(root, 'examples/tenant'), join(user, 'tenant'), { recursive: true });
  run('npm', ['install', '--no-audit', '--no-fund', ...packed], user);
}

/**
 * The packages that all of ours are made of, as CycloneDX. In the repository npm would leave out of it what some workspace takes
 * only for development.
 */
function billOfMaterials(user) {
  const sbom = run('npm', ['sbom', '--sbom-format', 'cyclonedx'], user);
  const names = JSON.parse(sbom).components.map(({ name, group }) => (group ? `${group}/${name}` : name));
  for (const needed of ['@authz-service/cloud', 'express', 'knex', 'sqlite3', 'zod'])
    if (!names.includes(needed)) throw new Error(`The bill of materials lacks ${needed}: ${names.join(', ')}`);
  return sbom;
}

/** The README's "Five minutes": a cloud, a tenant, a decision, an agent's key, the provider. Resolves with the agent's URL. */
async function useIt(user) {
  const secret = randomBytes(24).toString('hex');
  const env = {
    PATH: process.env.PATH,
    HOME: user,
    SERVICE_BOOTSTRAP_CLIENT_ID: 'admin',
    SERVICE_BOOTSTRAP_CLIENT_SECRET: secret,
    SERVICE_CLIENT_ID: 'admin',
    SERVICE_CLIENT_SECRET: secret,
  };
  const bin = (name) => join(user, 'node_modules/.bin', name);
  const cloudUrl = await start(
    bin('service'),
    ['cloud', 'start', '--data-dir', 'data', '--listen-addr', '127.0.0.1:0'],
    user,
    env,
  );
  const service = (...args) => run(bin('service'), args, user, { ...env, SERVICE_CLOUD_URL: cloudUrl });
  const question = ['--subject', 'user:alice', '--action', 'read', '--resource', 'invoice:INV-1', '--json'];
  const allowed = (answer) => {
    if (JSON.parse(answer).decision !== true) throw new Error(`The README's decision was not allowed:\n${answer}`);
  };
  service('validate', 'tenant');
  service('plan', 'tenant');
  service('apply', 'tenant', '--yes');
  allowed(service('authorize', ...question));
  service('provider', 'install');
  const agentUrl = await start(bin('service-agent'), [], user, {
    PATH: env.PATH,
    HOME: user,
    SERVICE_API_KEY: service('keys', 'create', 'my-agent', '--scope', 'bundle').trim(),
    SERVICE_CLOUD_URL: cloudUrl,
    SERVICE_LISTEN_ADDR: '127.0.0.1:0',
  });
  run('curl', ['-sf', '--retry', '9', '--retry-all-errors', `${agentUrl}/readyz`], user);
  allowed(service('authorize', '--url', agentUrl, ...question));
  return agentUrl;
}

/** The CDKTF app in docs/cdktf.md with its dependencies: it needs every construct that it imports. */
function synthesize(user) {
  const page = readFileSync(join(root, 'docs/cdktf.md'), 'utf8');
  const [, beside] = /npm install \.\/\*\.tgz (.+)/.exec(page);
  const [, program] = /```js\n([\s\S]+?)```/.exec(page);
  run('npm', ['install', '--no-audit', '--no-fund', ...beside.split(' ')], user);
  writeFileSync(join(user, 'main.js'), program);
  run(process.execPath, ['main.js'], user);
  readFileSync(join(user, 'cdktf.out/stacks/warehouse/cdk.tf.json'));
}

/** Starts a program and resolves with the URL that a JSON line of its output contains. */
function start(command, args, cwd, env) {
  return new Promise((resolve, reject) => {
    const seen = [];
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    running.push(child);
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}:\n${seen.join('\n')}`)));
    for (const output of [child.stdout, child.stderr])
      createInterface({ input: output }).on('line', (line) => {
        seen.push(line);
        const url = line.startsWith('{') ? JSON.parse(line).url : undefined;
        if (url) resolve(url);
      });
  });
}

function run(command, args, cwd, env = process.env) {
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
