/**
 * Writes the root file system of an image: Node and the libraries that it loads, the program, certificates, and nothing else:
 * no shell, no package manager. The Containerfiles in deploy/containers call it, and so does the test that runs the result.
 *   node scripts/image-root.mjs agent|cloud FOLDER
 */
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENT_FILES } from './bundle-agent.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The user of the program, who owns nothing but the folder for its data. */
const USER = 65532;
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** Yields the files and folders of the agent, which is bundled into few files: each source with its place in the image. */
function* agentFiles() {
  for (const { to } of AGENT_FILES) yield [join(root, 'agent/dist', to), join('/app/dist', to)];
  yield [join(root, 'agent/dist/LICENSES.txt'), '/app/dist/LICENSES.txt'];
  yield [join(root, 'agent/package.json'), '/app/package.json'];
  yield [join(root, 'agent/dist/commit.json'), '/app/dist/commit.json'];
}

/** The parts of sqlite3 that run; the rest is for compiling it. */
const SQLITE = ['package.json', 'lib', 'build/Release/node_sqlite3.node'];

/** Yields what the CLI and the cloud need at run time, as npm has installed it. */
function* cloudFiles() {
  const output = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable', '-w', 'cli', '-w', 'cloud'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for (const path of new Set(output.trim().split('\n'))) {
    const [inside, name] = [relative(root, path), basename(path)];
    if (inside === '') continue;
    const { workspace, place } = placeOf(inside);
    const parts = workspace ? ['package.json', ...workspace.files] : name === 'sqlite3' ? SQLITE : ['.'];
    for (const part of parts) if (existsSync(join(path, part))) yield [join(path, part), join(place, part)];
  }
}

/** Returns where a package stands in the image, and what it says of itself if it is one of this repository. */
function placeOf(inside) {
  const at = lstatSync(join(root, inside)).isSymbolicLink() ? relative(root, realpathSync(join(root, inside))) : inside;
  const [own, nested] = at.split(/(?:^|\/)node_modules\/(.*)/s);
  if (own === '') return { place: join('/app/node_modules', nested) };
  const workspace = JSON.parse(readFileSync(join(root, own, 'package.json'), 'utf8'));
  const place = join('/app/node_modules', workspace.name);
  return nested === undefined ? { workspace, place } : { place: join(place, 'node_modules', nested) };
}

const PROGRAMS = { agent: agentFiles, cloud: cloudFiles };

/** The libraries of a program, as its loader finds them. */
function librariesOf(program) {
  const output = execFileSync('ldd', [program], { encoding: 'utf8' });
  return [...output.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path);
}

/** Whether a file of a package is run, and belongs to no package within it. */
function runs(path) {
  return !/(^|\/)node_modules(\/|$)|\.(?:map|tsbuildinfo|d\.[cm]?ts)$/.test(path);
}

const [program, folder] = process.argv.slice(2);
const files = PROGRAMS[program];
if (files === undefined || folder === undefined) {
  process.stderr.write(`Usage: node scripts/image-root.mjs ${Object.keys(PROGRAMS).join('|')} FOLDER\n`);
  process.exit(1);
}
const write = (path, copy) => {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  copy(target);
};
const node = realpathSync(process.execPath);
write('/bin/node', (target) => copyFileSync(node, target));
for (const library of librariesOf(node)) write(library, (target) => copyFileSync(realpathSync(library), target));
for (const [source, path] of files())
  write(path, (target) => cpSync(source, target, { recursive: true, filter: (one) => runs(relative(source, one)) }));
write('/app/healthy.mjs', (target) => copyFileSync(join(root, 'deploy/containers/healthy.mjs'), target));
if (existsSync(CERTIFICATES)) write(CERTIFICATES, (target) => copyFileSync(CERTIFICATES, target));
write('/etc/passwd', (target) => writeFileSync(target, `service:x:${USER}:${USER}:service:/data:/sbin/nologin\n`));
write('/etc/group', (target) => writeFileSync(target, `service:x:${USER}:\n`));
// What starts the container mounts something on each of these.
for (const empty of ['data', 'dev', 'proc', 'tmp']) mkdirSync(join(folder, empty), { recursive: true });
if (process.getuid?.() === 0) chownSync(join(folder, 'data'), USER, USER);
