import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Bundles the fixture provider from its sources into a folder of its own; gives the executable. */
export async function bundleFixture(): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'fixture-provider-')), 'terraform-provider-fixture_v1.0.0.cjs');
  await build({
    entryPoints: [join(root, 'test/src/e2e/terraform/fixture-provider.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    banner: { js: '#!/usr/bin/env node' },
    alias: { '@authz-service/provider': join(root, 'provider/src') },
  });
  const { chmodSync } = await import('node:fs');
  chmodSync(outfile, 0o755);
  return outfile;
}
