/**
 * Adds to the lock files the packages for other platforms that npm left out because the registry does not serve them.
 * `npm ci` compares the lock with every optional dependency and refuses a lock that lacks one, even if it would not
 * install it. Run this after `npm install` has changed the lock; a test fails otherwise: node scripts/complete-lock.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Returns what a name like "@scope/binding-linux-arm64-musl" tells about the platform. */
function platform(name) {
  const words = name.slice(name.lastIndexOf('/') + 1).split('-');
  const cpu = words.find((word) => /^(arm|arm64|x64|ia32|ppc64|riscv64|s390x|loong64|mips64el|wasm32)$/.test(word));
  const os = words.find((word) =>
    /^(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)$/.test(word),
  );
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : undefined;
  return { ...(cpu && { cpu: [cpu] }), optional: true, ...(os && { os: [os] }), ...(libc && { libc: [libc] }) };
}

function complete(file) {
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const { packages } = lock;
  let added = 0;
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const present = packages[`${path}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
      if (present || !/^\d/.test(version)) continue;
      packages[`node_modules/${name}`] = { version, ...(dev && { dev }), ...platform(name) };
      added += 1;
    }
  }
  if (added === 0) return;
  lock.packages = Object.fromEntries(
    Object.entries(packages).sort(([left], [right]) => (left === right ? 0 : left < right ? -1 : 1)),
  );
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  process.stderr.write(`${file}: ${added} packages added\n`);
}

for (const name of [
  'package-lock.json',
  'bench/package-lock.json',
  'test/peers/package-lock.json',
  'docs/site/package-lock.json',
])
  complete(join(root, name));
