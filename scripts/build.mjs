/**
 * Installs what is missing and builds every workspace, incrementally: a second run of a built tree takes a moment.
 * Plain JavaScript on Node alone, since it runs before anything is installed.
 *   node scripts/build.mjs [--quiet]
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function run(command, args, quiet) {
  const done = spawnSync(command, args, { cwd: root, stdio: ['ignore', quiet ? 'pipe' : 2, quiet ? 'pipe' : 2] });
  if (done.status === 0) return;
  if (quiet) process.stderr.write(`${done.stdout ?? ''}${done.stderr ?? ''}`);
  process.stderr.write(`\n"${command} ${args.join(' ')}" failed${done.error ? `: ${done.error.message}` : ''}\n`);
  process.exit(1);
}

/**
 * Whether what the lock file names is installed. npm writes node_modules/.package-lock.json last: it is missing after a broken
 * install, and older than the lock file after a change, unless only the time of the lock file changed.
 */
function installed() {
  const [note, marker] = ['.installed', '.package-lock.json'].map((name) => join(root, 'node_modules', name));
  const lock = join(root, 'package-lock.json');
  const digest = createHash('sha256').update(readFileSync(lock)).digest('hex');
  if (!existsSync(marker)) return false;
  if (existsSync(note) && readFileSync(note, 'utf8') === digest) return true;
  if (statSync(marker).mtimeMs < statSync(lock).mtimeMs) return false;
  writeFileSync(note, digest);
  return true;
}

/** Says in both programs which commit they are built from: `--version` shows it. An image is built without Git, by SOURCE_COMMIT. */
function writeCommit() {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const commit = (process.env.SOURCE_COMMIT || (status === 0 ? stdout.trim() : '')).slice(0, 12) || undefined;
  for (const program of ['agent', 'cli'])
    writeFileSync(join(root, program, 'dist/commit.json'), `${JSON.stringify({ commit })}\n`);
}

export function build({ quiet = false } = {}) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    process.stderr.write(`Node 20.19 or later is needed; this is ${process.version}.\n`);
    process.exit(1);
  }
  if (!installed()) {
    process.stderr.write('Installing dependencies (npm ci); sqlite3 may be compiled, which takes a minute or two …\n');
    run('npm', ['ci', '--no-audit', '--no-fund'], quiet);
  }
  run(process.execPath, [join(root, 'scripts/provider-constructs.mjs')], quiet);
  const { bin } = JSON.parse(readFileSync(join(root, 'node_modules/typescript/package.json'), 'utf8'));
  run(process.execPath, [join(root, 'node_modules/typescript', bin.tsc), '-b'], quiet);
  writeCommit();
  run(process.execPath, [join(root, 'cli/scripts/manifest.mjs')], quiet);
  run(process.execPath, [join(root, 'scripts/bundle-console.mjs')], quiet);
  run(process.execPath, [join(root, 'scripts/bundle-agent.mjs')], quiet);
  run(process.execPath, [join(root, 'scripts/bundle-provider.mjs')], quiet);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) build({ quiet: process.argv.includes('--quiet') });
