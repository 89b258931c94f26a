/** How the provider gets to Terraform: installed by the CLI, or from the archives that a registry serves. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { operatorOf } from '../conformance/over-http.js';
import { PROVIDER, TerraformTenant } from './terraform/product.js';
import { hasTerraform, Workspace } from './terraform/workspace.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const VERSION = JSON.parse(readFileSync(join(root, 'provider/package.json'), 'utf8')).version;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'distribution-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Terraform with the settings of a new user, and a network on which nothing answers. */
function newcomer(settings = ''): Workspace {
  const config = join(folder, 'terraform.tfrc');
  writeFileSync(config, settings);
  const nobody = 'http://127.0.0.1:1';
  const workspace = new Workspace({
    providers: {},
    env: { TF_CLI_CONFIG_FILE: config, HTTPS_PROXY: nobody, HTTP_PROXY: nobody },
  });
  writeFileSync(
    join(workspace.dir, 'main.tf'),
    `terraform {
      required_providers {
        service = {
          source  = "authz-service/service"
          version = "~> ${VERSION}"
        }
      }
    }
    resource "service_role" "auditor" { name = "auditor" }`,
  );
  return workspace;
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

interface Installed {
  version: string;
  files: { terraform: string; opentofu: string };
  replaced: boolean;
  mocks?: string;
}

function install(home: string, ...args: string[]): Installed {
  const program = join(root, 'cli/bin/service.js');
  const env = { PATH: process.env.PATH ?? '', HOME: home };
  return JSON.parse(
    execFileSync(process.execPath, [program, 'provider', 'install', '--json', ...args], {
      env,
      cwd: home,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
}

describe('servicectl provider install', { timeout: 90_000 }, () => {
  it('puts the bundled provider, whole and executable, where it is looked for', () => {
    const { version, files, replaced } = install(folder);
    const { terraform: file, opentofu } = files;
    expect(version).toBe(VERSION);
    expect(file).toMatch(
      new RegExp(
        `/[.]terraform[.]d/plugins/registry[.]terraform[.]io/authz-service/service/${VERSION}/[a-z]+_[a-z0-9]+/`,
      ),
    );
    expect(replaced).toBe(false);
    const built = readdirSync(dirname(PROVIDER)).sort();
    expect(readdirSync(dirname(file)).sort()).toEqual(built);
    expect(opentofu).toBe(file.replace('registry.terraform.io', 'registry.opentofu.org'));
    expect(sha256(opentofu)).toBe(sha256(file));
    expect(statSync(opentofu).mode & 0o111).toBe(0o111);
    for (const name of built) expect(sha256(join(dirname(file), name))).toBe(sha256(join(dirname(PROVIDER), name)));
    expect(statSync(file).mode & 0o111).toBe(0o111);
  });

  it('replaces what another build left there, and says so', () => {
    const file = install(folder).files.terraform;
    writeFileSync(file, 'an older build');
    writeFileSync(join(file, '..', 'terraform-provider-service_v0.0.1'), 'with another name');
    expect(install(folder).replaced).toBe(true);
    expect(readdirSync(dirname(file)).sort()).toEqual(readdirSync(dirname(PROVIDER)).sort());
    expect(readdirSync(join(dirname(file), '..'))).toHaveLength(1);
    expect(install(folder).replaced).toBe(false);
  });

  it('writes mocks, and leaves alone what else is there', () => {
    const { mocks = '' } = install(folder, '--mocks', 'tests/mocks');
    expect(sha256(mocks)).toBe(sha256(join(root, 'provider/mocks/service.tfmock.hcl')));
    expect(install(folder, '--mocks', 'tests/mocks').mocks).toBe(mocks);
    writeFileSync(mocks, '# our own');
    expect(() => install(folder, '--mocks', 'tests/mocks')).toThrow();
    expect(readFileSync(mocks, 'utf8')).toBe('# our own');
  });

  it.skipIf(!hasTerraform)(
    'lets the configuration in docs/terraform.md, and the example, be tested without any service',
    async () => {
      const page = readFileSync(join(root, 'docs/terraform.md'), 'utf8');
      const [, configuration = ''] = /```hcl\n([\s\S]+?)```/.exec(page) ?? [];
      const [, test = ''] = /```hcl\n(mock_provider[\s\S]+?)```/.exec(page) ?? [];
      const example = join(root, 'examples/hcl');
      const files = readdirSync(example).filter((name) => name.endsWith('.tf'));
      for (const contents of [
        [['main.tf', configuration]] as const,
        files.map((name) => [name, readFileSync(join(example, name), 'utf8')] as const),
      ]) {
        const workspace = newcomer();
        try {
          for (const [name, text] of contents) writeFileSync(join(workspace.dir, name), text);
          install(workspace.dir, '--mocks', 'tests/mocks');
          const assertions = /^ {2}assert \{[\s\S]+?^ {2}\}\n/gm;
          writeFileSync(
            join(workspace.dir, 'tests/access.tftest.hcl'),
            contents.length === 1 ? test : test.replace(assertions, ''),
          );
          if (contents.length === 1)
            writeFileSync(
              join(workspace.dir, 'tests/plan.tftest.hcl'),
              test
                .replace('"./tests/mocks"', '"./tests/mocks"\n  override_during = plan')
                .replace('run "refunds" {', 'run "refunds" {\n  command = plan\n  expect_failures = [check.refund]')
                .replace('effect == "ALLOW"', 'path != service_role.support.address'),
            );
          await workspace.ok('init');
          expect(await workspace.ok('test')).toContain(`Success! ${contents.length === 1 ? 2 : 1} passed, 0 failed.`);
        } finally {
          workspace.remove();
        }
      }
    },
  );

  it.skipIf(!hasTerraform)(
    'lets the configuration in docs/terraform.md be applied, with no network but to the cloud',
    async () => {
      const [, configuration = ''] =
        /```hcl\n([\s\S]+?)```/.exec(readFileSync(join(root, 'docs/terraform.md'), 'utf8')) ?? [];
      const cloud = await TestCloud.start();
      const { env, client } = await TerraformTenant.make(cloud, operatorOf(cloud));
      const workspace = newcomer();
      writeFileSync(join(workspace.dir, 'main.tf'), configuration);
      Object.assign(workspace.env, env);
      install(workspace.dir);
      try {
        expect(await workspace.ok('init')).toContain(`authz-service/service v${VERSION}`);
        expect(await workspace.apply()).not.toContain('Warning');
        await workspace.isSettled();
        const resource = { type: 'order', name: '1', properties: { total: 20 } };
        const question = { subject: { type: 'user', id: 'erin' }, action: { name: 'refund' }, resource };
        expect(await client.decide(question)).toMatchObject({ allowed: true });
      } finally {
        workspace.remove();
        await cloud.close();
      }
    },
  );

  it.skipIf(!hasTerraform)('fills the folder that a configuration brings along', async () => {
    const workspace = newcomer();
    install(workspace.dir, '--dir', 'terraform.d/plugins');
    try {
      expect(await workspace.ok('init')).toContain(`authz-service/service v${VERSION}`);
    } finally {
      workspace.remove();
    }
  });
});

describe('npm run package -w provider', { timeout: 90_000 }, () => {
  const SCRIPT = join(root, 'scripts/package-provider.mjs');
  const PROGRAM = [join(root, 'scripts/package-programs.mjs'), '--program', 'terraform-provider-service'];

  it('makes an archive for each platform, the digests of all files, and the manifest', () => {
    execFileSync(process.execPath, [SCRIPT, '--out', folder]);
    const sums = readFileSync(join(folder, `terraform-provider-service_${VERSION}_SHA256SUMS`), 'utf8');
    const digests = sums
      .trim()
      .split('\n')
      .map((line) => line.split('  ') as [string, string]);
    for (const [digest, name] of digests) expect(digest, name).toBe(sha256(join(folder, name)));
    const listed = digests.map(([, name]) => name);
    const present = readdirSync(folder).filter((name) => !name.endsWith('SHA256SUMS'));
    expect(listed.sort()).toEqual(present.sort());
    expect(listed).toContain(`terraform-provider-service_${VERSION}_darwin_arm64.zip`);
    const manifest = JSON.parse(
      readFileSync(join(folder, `terraform-provider-service_${VERSION}_manifest.json`), 'utf8'),
    );
    expect(manifest).toEqual({ version: 1, metadata: { protocol_versions: ['6.0'] } });
    const again = join(folder, 'again');
    execFileSync(process.execPath, [SCRIPT, '--out', again]);
    expect(readFileSync(join(again, `terraform-provider-service_${VERSION}_SHA256SUMS`), 'utf8')).toBe(sums);
  });

  it.skipIf(!hasTerraform).each<[string, string[], string]>([
    ['archives', [SCRIPT], `${dirname(process.execPath)}:${process.env.PATH}`],
    // The single executable needs no Node: the PATH contains only Terraform.
    ...(process.platform === 'linux' ? [['a single executable', PROGRAM, ''] as [string, string[], string]] : []),
  ])('makes %s that Terraform installs and starts', async (_, command, path) => {
    const mirror = join(folder, 'registry.terraform.io/authz-service/service');
    execFileSync(process.execPath, [...command, '--out', mirror]);
    const workspace = newcomer(`provider_installation {\n filesystem_mirror {\n path = "${folder}"\n }\n}`);
    const terraform = execFileSync('which', ['terraform'], { encoding: 'utf8' }).trim();
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    symlinkSync(terraform, join(bin, 'terraform'));
    workspace.env.PATH = `${bin}:${path}`;
    try {
      expect(await workspace.ok('init')).toContain(`authz-service/service v${VERSION}`);
      await workspace.ok('validate');
    } finally {
      workspace.remove();
    }
  });
});

describe.skipIf(!hasTerraform)('what the provider reads late', () => {
  it('is what judges conditions, which only a policy with a condition needs', async () => {
    const bundle = join(folder, 'bundle');
    cpSync(dirname(PROVIDER), bundle, { recursive: true });
    const workspace = new Workspace({ providers: { service: join(bundle, basename(PROVIDER)) } });
    const policy = (more: string) => `
      resource "service_policy" "p" {
        name          = "p"
        effect        = "ALLOW"
        resource_type = "a/t"
        actions       = ["read"]
        ${more}
      }`;
    workspace.write(policy('condition = "1 +"'));
    expect(await workspace.fails('validate')).toMatch(/with service_policy\.p,.*The condition is not valid/);
    rmSync(join(bundle, 'part-conditions.cjs'));
    workspace.write(policy(''));
    await workspace.ok('validate');
  });
});
