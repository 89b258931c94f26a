import { readManifest } from '@authz-service/core/manifest/read';
import { readTree } from '@authz-service/provider/reconcile/read-tree';
import { applyPlan, planTree } from '@authz-service/provider/reconcile/reconcile';
import type { ServiceClient } from '@authz-service/sdk/client';
import { expect } from 'vitest';

/** Applies a tree of YAML, as `service apply` does. */
export async function applyTree(client: ServiceClient, folder: string): Promise<void> {
  const { manifest, faults } = readManifest(await readTree(folder));
  if (manifest === undefined) expect.fail(JSON.stringify(faults));
  await applyPlan(client, await planTree(client, manifest));
}
