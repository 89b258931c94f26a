import { readManifest } from '@authz-service/core/manifest/read';
import type { Plan } from '@authz-service/core/plan/plan';
import { readTree } from '@authz-service/embedded/tree/read-tree';
import { applyPlan, planTree } from '@authz-service/provider/reconcile/reconcile';
import type { ServiceClient } from '@authz-service/sdk/client';
import { expect } from 'vitest';

/** Plans a tree of YAML, as `servicectl plan` does. */
export async function planOfTree(client: ServiceClient, folder: string): Promise<Plan> {
  const { manifest, faults } = readManifest(await readTree(folder));
  if (manifest === undefined) expect.fail(JSON.stringify(faults));
  return planTree(client, manifest);
}

export async function applyTree(client: ServiceClient, folder: string): Promise<void> {
  await applyPlan(client, await planOfTree(client, folder));
}
