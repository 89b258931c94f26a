/** Whole random tenants, exported in each notation, plan to no changes. */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readManifest } from '@authz-service/core/manifest/read';
import { writeManifest } from '@authz-service/core/manifest/write';
import type { DeclaredRecord, StoredRecord } from '@authz-service/core/records/registry';
import { planTree } from '@authz-service/provider/reconcile/reconcile';
import { writeCdktf } from '@authz-service/provider/terraform/notation/write-cdktf';
import { writeHcl } from '@authz-service/provider/terraform/notation/write-hcl';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { operatorOf } from '../conformance/over-http.js';
import '../random-seed.js';
import { TerraformTenant } from './terraform/product.js';
import { oddTenant } from './terraform/random-tenants.js';
import { hasTerraform } from './terraform/workspace.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const STACK = 'random';

/** `SERVICE_PROPERTY_FACTOR=20` exports 200 tenants as YAML, and 40 for Terraform. */
const FACTOR = Number(process.env.SERVICE_PROPERTY_FACTOR ?? 1);

describe('a random tenant', () => {
  let cloud: TestCloud;
  beforeAll(async () => {
    cloud = await TestCloud.start();
  });
  afterAll(() => cloud.close());

  /** Commits the records to a tenant of their own, and hands over what an export would write. */
  async function stored(
    records: readonly DeclaredRecord[],
    use: (tenant: TerraformTenant, held: StoredRecord[]) => Promise<void>,
  ): Promise<void> {
    const tenant = await TerraformTenant.make(cloud, operatorOf(cloud));
    try {
      const changes = records.map(({ kind, fields }) => ({ op: 'create' as const, kind, fields }));
      await tenant.client.changeset({ stack: STACK, changes });
      const held = (await tenant.client.state()).records.filter(({ managed_by }) => managed_by === STACK);
      await use(tenant, held);
    } finally {
      tenant.remove();
    }
  }

  it('plans to no changes as YAML', async () => {
    await fc.assert(
      fc.asyncProperty(oddTenant, (records) =>
        stored(records, async ({ client }, held) => {
          const { manifest, faults } = readManifest(writeManifest(held, { stack: STACK }));
          if (manifest === undefined) expect.fail(JSON.stringify(faults));
          expect((await planTree(client, manifest)).changes).toEqual([]);
        }),
      ),
      { numRuns: 10 * FACTOR, endOnFailure: true },
    );
  });

  it.skipIf(!hasTerraform)(
    'plans to imports and no changes as HCL and as a CDKTF app',
    async () => {
      await fc.assert(
        fc.asyncProperty(oddTenant, (records) =>
          stored(records, async (tenant, held) => {
            const imports = `Plan: ${held.length} to import, 0 to add, 0 to change, 0 to destroy.`;
            const hcl = async () => {
              const workspace = await tenant.newcomer();
              for (const { path, text } of writeHcl(held, { stack: STACK }))
                writeFileSync(join(workspace.dir, path), text);
              await workspace.ok('init');
              expect(await workspace.ok('plan')).toContain(imports);
            };
            const cdktf = async () => {
              const workspace = await tenant.newcomer();
              const app = join(workspace.dir, 'app');
              mkdirSync(app);
              for (const { path, text } of writeCdktf(held, { stack: STACK })) writeFileSync(join(app, path), text);
              symlinkSync(join(root, 'node_modules'), join(workspace.dir, 'node_modules'));
              writeFileSync(join(workspace.dir, 'package.json'), '{ "type": "module" }');
              await promisify(execFile)(process.execPath, ['main.js'], { env: workspace.env, cwd: app });
              const stack = '-chdir=app/cdktf.out/stacks/exported';
              await workspace.ok(stack, 'init');
              expect(await workspace.ok(stack, 'plan')).toContain(imports);
            };
            await Promise.all([hcl(), cdktf()]);
          }),
        ),
        // A tenant takes seconds, so that the first that fails is reported as it is.
        { numRuns: 2 * FACTOR, endOnFailure: true },
      );
    },
    120_000 * FACTOR,
  );
});
