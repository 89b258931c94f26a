/**
 * Writes the root file system of an image: Node and the libraries that it loads, the program, certificates, and nothing else:
 * no shell, no package manager. The Containerfiles in deploy/containers call it, and so does the test that runs the result.
 *   node scripts/image-root.mjs agent FOLDER
 */
import { execFileSync } from 'node:child_process';
import { chownSync, copyFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The user of the program, who owns nothing but the folder for its data. */
const USER = 65532;
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** The files of each program, by their places in the image. */
const PROGRAMS = {
  agent: {
    '/app/service-agent.mjs': 'agent/dist/service-agent.mjs',
    '/app/unpack-thread.js': 'agent/dist/unpack-thread.js',
    '/app/compare-thread.js': 'agent/dist/compare-thread.js',
    '/app/package.json': 'agent/package.json',
    '/app/healthy.mjs': 'deploy/containers/healthy.mjs',
  },
};

/** The libraries of a program, as its loader finds them. */
function librariesOf(program) {
  const output = execFileSync('ldd', [program], { encoding: 'utf8' });
  return [...output.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path);
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
for (const [path, source] of Object.entries(files)) write(path, (target) => copyFileSync(join(root, source), target));
if (existsSync(CERTIFICATES)) write(CERTIFICATES, (target) => copyFileSync(CERTIFICATES, target));
write('/etc/passwd', (target) => writeFileSync(target, `service:x:${USER}:${USER}:service:/data:/sbin/nologin\n`));
write('/etc/group', (target) => writeFileSync(target, `service:x:${USER}:\n`));
// What starts the container mounts something on each of these.
for (const empty of ['data', 'dev', 'proc', 'tmp']) mkdirSync(join(folder, empty), { recursive: true });
if (process.getuid?.() === 0) chownSync(join(folder, 'data'), USER, USER);
