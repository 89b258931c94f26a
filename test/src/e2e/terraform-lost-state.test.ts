/** Records of the stack that the state does not hold, as after an apply that was killed, by the real Terraform. */
import { describe, expect, it } from 'vitest';
import type { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { type Handling, Relay } from './terraform/relay.js';
import { hasTerraform, unwrapped } from './terraform/workspace.js';

describe.skipIf(!hasTerraform)('what the stack made and the state has lost', () => {
  let cloud: TestCloud;
  let tenant: TerraformTenant;
  eachOnATenant((made, on) => {
    [tenant, cloud] = [made, on];
  });

  const provider = (more: string) => `provider "service" {\n${more}\n}\n`;
  const groups = (description: string) =>
    `resource "service_group" "g" {\n  count = 3\n  name = "g\${count.index}"\n  description = "${description}"\n}\n`;
  const key = 'resource "service_api_key" "k" {\n  name = "k"\n  scopes = ["bundle"]\n}\n';
  const idsOf = async () => (await tenant.client.state()).records.map(({ id }) => id).sort();

  it('is taken over by the next apply after a kill, and the plan says what that changes', async () => {
    const relay = await Relay.to(cloud.url);
    try {
      const workspace = tenant.workspace(provider('stack = "mine"') + groups('before'), {
        SERVICE_CLOUD_URL: relay.url,
      });
      const killed = workspace.start(['apply', '-auto-approve']);
      relay.handling = (line): Handling => {
        if (line === 'POST /v1/changesets') killed.process.kill('SIGKILL');
        return 'pass';
      };
      expect((await killed.finished).status).not.toBe(0);
      await expect.poll(() => tenant.addresses()).toEqual(['group/g0', 'group/g1', 'group/g2']);
      relay.handling = () => 'pass';
      const ids = await idsOf();
      workspace.write(provider('stack = "mine"') + groups('after'));
      expect(unwrapped(await workspace.ok('plan'))).toMatch(
        /"group\/g1" exists already in this stack .*It belongs to this stack, "mine", .*the apply takes it over\. What changes in it: ~ description = "before" -> "after"/,
      );
      expect(await workspace.apply()).toContain('3 added');
      await workspace.isSettled();
      expect(await idsOf()).toEqual(ids);
    } finally {
      await relay.close();
    }
  });

  it('is not where another configuration may have the same stack, nor a credential, and says why', async () => {
    await tenant.workspace(provider('') + groups('same')).apply();
    const unnamed = tenant.workspace(provider('') + groups('same'));
    expect(unwrapped(await unnamed.ok('plan'))).toMatch(
      /"group\/g0" exists already in this stack .*not taken over without consent: another configuration may use the stack "terraform", .*stack = "terraform"\./,
    );
    expect(await unnamed.fails('apply', '-auto-approve')).toMatch(
      /"group\/g0" exists already.*belongs to this stack, "terraform".*stack = "terraform".*import \{ to = service_group\.NAME id = "group\/g0" \}/,
    );
    unnamed.write(provider('stack = "terraform"') + groups('same'));
    expect(await unnamed.apply()).toContain('3 added');

    await tenant.workspace(provider('stack = "mine"') + key).apply();
    const other = tenant.workspace(provider('stack = "mine"') + key);
    expect(await other.fails('apply', '-auto-approve')).toMatch(
      /"api_key\/k" exists already.*its secret was shown only to the run that created it/,
    );
    other.write(provider('stack = "mine"\ntake_ownership = true') + key);
    expect(await other.apply()).toMatch(/Secret not known.*"api_key\/k" was taken over.*1 added/s);
    other.write(provider('stack = "mine"') + key);
    await other.isSettled();
  });

  it('is never removed under a resource that holds it, by another that held it before', async () => {
    const role = (name: string) => `resource "service_role" "${name}" {\n  name = "r"\n}\n`;
    const workspace = tenant.workspace(provider('stack = "mine"') + role('a'));
    await workspace.apply();
    workspace.write(provider('stack = "mine"') + role('b'));
    await workspace.ok('import', 'service_role.b', 'r');
    expect(await workspace.fails('plan')).toMatch(/Record held twice .*hold "role\/r".*terraform state rm/);
    await workspace.ok('state', 'rm', 'service_role.a');
    await workspace.isSettled();
    await workspace.apply('-destroy');
    expect(await tenant.addresses()).toEqual([]);
  });
});
