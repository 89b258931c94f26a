import { posix } from 'node:path';
import { readManifest } from '@authz-service/core/manifest/read';
import { readTree } from '@authz-service/embedded/tree/read-tree';
import { describe, expect, it } from 'vitest';
import { SCHEMA_PATH, scaffold } from './files.js';

describe('scaffold', () => {
  it.each([
    ['as it comes', { stack: 'default' }],
    ['for one tenant', { stack: 'access', tenant: 'acme' }],
    ['with names that YAML would read otherwise', { stack: 'no', tenant: '1.0' }],
  ])('validates without faults or warnings %s', (_, options) => {
    const result = readManifest(scaffold(options));
    expect(result.faults).toEqual([]);
    expect(result.warnings).toEqual([]);
    expect(result.manifest).toMatchObject(options);
  });

  it('shares no record with the first example, so that the newcomer who has applied that can apply this too', async () => {
    const records = (result: ReturnType<typeof readManifest>) =>
      result.manifest?.records.map(({ address }) => address) ?? [];
    const example = await readTree(new URL('../../../examples/tenant', import.meta.url).pathname);
    const taken = new Set(records(readManifest(example)));
    expect(taken.size).toBeGreaterThan(40);
    expect(records(readManifest(scaffold({ stack: 'default' }))).filter((address) => taken.has(address))).toEqual([]);
  });

  it('names the schema in each file, as the editor will look for it', () => {
    for (const { path, text } of scaffold({ stack: 'default' })) {
      const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? '';
      expect(posix.join(posix.dirname(path), named)).toBe(SCHEMA_PATH);
    }
  });
});
