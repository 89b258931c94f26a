/** The constructs for CDKTF, synthesized as docs/cdktf.md says, and with the community's successor of cdktf. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'constructs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Synthesized {
  '//': unknown;
  terraform: unknown;
  provider: unknown;
  resource: Record<string, Record<string, unknown>>;
}

function synthesize(...options: string[]): Synthesized {
  execFileSync(process.execPath, [...options, join(root, 'examples/cdktf/dist/main.js')], { cwd: folder });
  return JSON.parse(readFileSync(join(folder, 'cdktf.out/stacks/acme/cdk.tf.json'), 'utf8'));
}

it('the example gives the same configuration with cdktn in place of cdktf', () => {
  const { '//': about, ...configuration } = synthesize();
  expect(Object.keys(configuration.resource)).toContain('service_policy_assignment');
  const loader = fileURLToPath(new URL('terraform/cdktn-instead.mjs', import.meta.url));
  const { '//': aboutOther, ...other } = synthesize('--import', loader);
  expect(other).toEqual(configuration);
  // Each writes its version, which shows that it was another one.
  expect(aboutOther).not.toEqual(about);
});

it('the package can be installed beside either', () => {
  const manifest = (at: string) => JSON.parse(readFileSync(join(root, at, 'package.json'), 'utf8'));
  const { devDependencies } = manifest('.');
  // npm checks the version of the package that an alias stands for.
  expect(manifest('provider').peerDependencies.cdktf.split(' || ')).toEqual([
    devDependencies.cdktf,
    devDependencies.cdktn,
  ]);
});

it('the app in docs/cdktf.md synthesizes', () => {
  const [, program = ''] = /```js\n([\s\S]+?)```/.exec(readFileSync(join(root, 'docs/cdktf.md'), 'utf8')) ?? [];
  // The folder where it finds the packages that it would have installed.
  const place = mkdtempSync(join(root, 'node_modules/.readme-'));
  try {
    writeFileSync(join(place, 'main.mjs'), program);
    execFileSync(process.execPath, [join(place, 'main.mjs')], { cwd: folder });
  } finally {
    rmSync(place, { recursive: true });
  }
  const { resource } = JSON.parse(readFileSync(join(folder, 'cdktf.out/stacks/warehouse/cdk.tf.json'), 'utf8'));
  const names = Object.values<{ name: string }>(resource.service_policy).map(({ name }) => name);
  expect(names.sort()).toEqual(['packer-parcel', 'release-light']);
});
