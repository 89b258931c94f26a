import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Lock {
  packages: Record<string, { optionalDependencies?: Record<string, string>; resolved?: string }>;
}

describe.each([
  'package-lock.json',
  'bench/package-lock.json',
  'test/peers/package-lock.json',
  'docs/site/package-lock.json',
])('%s', (file) => {
  const { packages } = JSON.parse(readFileSync(join(root, file), 'utf8')) as Lock;

  it('lists the packages of every platform: else `npm ci` refuses it (mend: node scripts/complete-lock.mjs)', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies)
        .filter(([, version]) => /^\d/.test(version))
        .filter(([name]) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`])
        .map(([name]) => name),
    );
    expect(missing).toEqual([]);
  });

  it('names no registry', () => {
    const hosts = Object.values(packages).filter(({ resolved }) => resolved !== undefined && /^https?:/.test(resolved));
    expect(hosts).toEqual([]);
  });
});
