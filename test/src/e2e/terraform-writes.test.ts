/** How the provider reads and writes: few requests for many records, refusals one by one, interrupts and faults on the way. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { operatorOf } from '../conformance/over-http.js';
import { TerraformTenant } from './terraform/product.js';
import { type Fate, Relay } from './terraform/relay.js';
import { hasTerraform, unwrapped } from './terraform/workspace.js';

const STATE = 'GET /v1/state';
const CHANGES = 'POST /v1/changesets';

describe.skipIf(!hasTerraform)('a provider at work', () => {
  let cloud: TestCloud;
  let tenant: TerraformTenant;
  let relay: Relay;
  beforeAll(async () => {
    cloud = await TestCloud.start();
  });
  afterAll(() => cloud.close());
  beforeEach(async () => {
    tenant = await TerraformTenant.make(cloud, operatorOf(cloud));
    relay = await Relay.to(cloud.url);
    tenant.env.SERVICE_CLOUD_URL = relay.url;
  });
  afterEach(async () => {
    tenant.remove();
    await relay.close();
  });

  const many = (count: number) => `resource "service_group" "g" {\n  count = ${count}\n  name = "g\${count.index}"\n}`;

  it('reads once and writes together', async () => {
    const workspace = tenant.workspace(many(100));
    const before = await tenant.revisions();
    await workspace.apply('-parallelism=50');
    // Terraform hands over fifty at a time: a hundred writes are not a hundred revisions.
    expect((await tenant.revisions()) - before).toBeLessThan(25);
    expect(relay.count(STATE)).toBeLessThan(5);
    relay.seen.length = 0;
    await workspace.isSettled();
    expect(relay.seen.filter((line) => line !== 'POST /oauth/token')).toEqual(
      expect.arrayContaining(['GET /v1/whoami', STATE]),
    );
    expect(relay.seen).toHaveLength(3);
    await workspace.apply('-destroy', '-parallelism=50');
    expect(await tenant.addresses()).toEqual([]);
  });

  it('lets a refused record fail alone, with its own diagnostic', async () => {
    const { id } = await tenant.client.records('role').create({ name: 'nobody' });
    const bad =
      'resource "service_role_assignment" "bad" {\n  role = "nobody"\n  entity_type = "group"\n  entity = service_group.g[0].path\n}';
    const workspace = tenant.workspace(`${many(8)}\n${bad}`);
    relay.fate = async (line): Promise<Fate> => {
      if (line !== CHANGES) return 'pass';
      relay.fate = () => 'pass';
      await tenant.client.records('role').delete(id);
      await tenant.client.records('group').create({ name: 'g3' });
      return 'pass';
    };
    const text = await workspace.fails('apply', '-auto-approve');
    expect(text.match(/Error: /g)).toHaveLength(2);
    expect(text).toMatch(
      /with service_group\.g\[3\], .*"group\/g3" exists already.*import \{ to = service_group.NAME id = "group\/g3" \}/,
    );
    expect(text).toMatch(/with service_role_assignment\.bad, on main\.tf line 1\d.*Role "nobody" does not exist/);
    expect(await tenant.addresses()).toHaveLength(8);
    await workspace.ok('import', 'service_group.g[3]', 'g3');
    workspace.write(many(8));
    await workspace.isSettled();
  });

  it('says of a chosen secret that is in use that alone', async () => {
    const key = (name: string, letter: string, version = 1) =>
      `resource "service_api_key" "${name}" {\n  name = "${name}"\n  scopes = ["bundle"]\n` +
      `  secret_wo = "svc_${letter.repeat(40)}"\n  secret_wo_version = ${version}\n}\n`;
    const workspace = tenant.workspace(key('one', 'u'));
    await workspace.apply();
    const refused = /The secret chosen for "api_key\/two" is in use already: choose another one\.\s*$/;
    workspace.write(key('one', 'u') + key('two', 'u'));
    expect(await workspace.fails('apply', '-auto-approve')).toMatch(refused);
    workspace.write(key('one', 'u') + key('two', 'v'));
    await workspace.apply();
    workspace.write(key('one', 'u') + key('two', 'u', 2));
    expect(await workspace.fails('apply', '-auto-approve')).toMatch(refused);
  });

  it('never takes over what another resource of the same configuration made or gives up', async () => {
    const provider = 'provider "service" { take_ownership = true }\n';
    const role = (name: string) => `resource "service_role" "${name}" {\n  name = "r"\n}\n`;
    const workspace = tenant.workspace(provider + role('a') + role('b'));
    const twice =
      /Record declared twice .*with service_role\.[abd], .*"role\/r" is declared by another resource of this configuration/;
    expect(await workspace.fails('plan')).toMatch(twice);
    const late = (name: string) => role(name).replace('"r"', 'terraform_data.r.output');
    workspace.write(`${provider}resource "terraform_data" "r" { input = "r" }\n${late('a')}${late('b')}`);
    expect(await workspace.fails('apply', '-auto-approve')).toMatch(twice);
    const one = (await workspace.ok('state', 'list')).includes('service_role.a') ? 'a' : 'b';
    workspace.write(provider + role(one));
    await workspace.apply();
    workspace.write(provider + role(one) + role('d'));
    expect(await workspace.fails('plan')).toMatch(twice);
    workspace.write(provider + role('c'));
    expect(await workspace.apply('-parallelism=1')).toContain('1 added, 0 changed, 1 destroyed');
    await workspace.isSettled();
    expect(await tenant.addresses()).toEqual(['role/r']);
  });

  it('does not replace a record under its own name where it would take over itself', async () => {
    const tree = (owning: boolean, input: number, more = '') => `
      provider "service" { take_ownership = ${owning} }
      resource "terraform_data" "v" { input = ${input} }
      resource "service_role" "r" {
        name = "r"
        lifecycle {
          ${more}
          replace_triggered_by = [terraform_data.v]
        }
      }`;
    const workspace = tenant.workspace(tree(true, 1));
    await workspace.apply();
    workspace.write(tree(true, 2, 'create_before_destroy = true'));
    expect(await workspace.fails('apply', '-auto-approve')).toMatch(
      /Replacement with take_ownership .*"role\/r" would be replaced under its own name/,
    );
    workspace.write(tree(false, 2, 'create_before_destroy = true'));
    expect(await workspace.fails('apply', '-auto-approve')).toMatch(
      /replaced under its own name: remove create_before_destroy/,
    );
    expect(await tenant.addresses()).toEqual(['role/r']);
    workspace.write(tree(false, 3));
    expect(await workspace.apply()).toMatch(/1 added, 1 changed, 1 destroyed/);
    await workspace.isSettled();
    expect(await tenant.addresses()).toEqual(['role/r']);
  });

  it('refuses to remove what is still mentioned, and says how', async () => {
    const workspace = tenant.workspace('resource "service_role" "r" { name = "r" }');
    await workspace.apply();
    await tenant.client
      .records('role_assignment')
      .create({ role: 'r', entity_type: 'subject', entity: 'user/a' })
      .catch(() => {});
    await tenant.client.changeset({
      changes: [
        { op: 'create', kind: 'subject', fields: { type: 'user', id: 'a' } },
        { op: 'create', kind: 'role_assignment', fields: { role: 'r', entity_type: 'subject', entity: 'user/a' } },
      ],
    });
    expect(await workspace.fails('destroy', '-auto-approve')).toMatch(
      /role "r" is still (?!.*create_before_destroy).*The records that use it belong to the stack "api": remove them there first\. .*terraform state rm/i,
    );
    expect(await workspace.ok('state', 'list')).toContain('service_role.r');
  });

  it('warns in the plan of a rename that is refused in the apply', async () => {
    const tree = (application: string, lifecycle = '') => {
      const policy = (label: string, of: string) => `
        resource "service_policy" "${label}" {
          ${of}
          name          = "${label}"
          effect        = "DENY"
          resource_type = service_resource_type.t.path
          actions       = ["read"]
        }`;
      return `
        resource "service_application" "a" { name = "${application}" }
        resource "service_resource_type" "t" {
          application = service_application.a.path
          name        = "t"
          actions     = ["read"]
          ${lifecycle}
        }
        ${policy('all', '')}
        ${policy('own', 'application = service_application.a.path')}`;
    };
    const workspace = tenant.workspace(tree('a'));
    expect(await workspace.apply()).not.toContain('in use');
    expect(await workspace.fails('apply', '-replace=service_application.a', '-auto-approve')).toMatch(
      /application "a" is still used .*replaced under its own name, as with -replace, replace the records that mention it/i,
    );
    workspace.write(tree('b'));
    const warning =
      /"resource_type\/a\/t" is renamed while it is in use .*with service_resource_type\.t, .*It is mentioned by "policy\/all", which .*create_before_destroy/;
    expect(unwrapped(await workspace.ok('plan'))).toMatch(warning);
    expect(await workspace.fails('apply', '-auto-approve')).toMatch(/"a\/t" is still used by 1 policy \(policy\/all\)/);
    workspace.write(tree('b', 'lifecycle { create_before_destroy = true }'));
    await workspace.apply();
    await workspace.isSettled();
    expect(await tenant.addresses()).toEqual(['application/b', 'policy/all', 'policy/b/own', 'resource_type/b/t']);
  });

  it('does every change once, though answers are lost and the service is busy', async () => {
    let requests = 0;
    relay.fate = (line) => {
      if (line !== CHANGES) return 'pass';
      requests += 1;
      return (['lose', 'busy', 'reset', 'pass'] as const)[requests % 4] ?? 'pass';
    };
    const workspace = tenant.workspace(many(12));
    expect(await workspace.apply('-parallelism=3')).toContain('12 added');
    relay.fate = () => 'pass';
    await workspace.isSettled();
    expect(await tenant.addresses()).toHaveLength(12);
  });

  it('waits for a cloud that restarts in the middle', async () => {
    const workspace = tenant.workspace(many(30));
    const { process: child, finished } = workspace.start(['apply', '-auto-approve', '-parallelism=2']);
    await new Promise<void>((resolve) =>
      child.stdout?.on('data', (chunk) => {
        if (String(chunk).includes('Creation complete')) resolve();
      }),
    );
    let away = true;
    relay.fate = () => (away ? 'reset' : 'pass');
    const aside = relay.seen.length;
    await expect.poll(() => relay.seen.length, { timeout: 20_000 }).toBeGreaterThan(aside + 6);
    away = false;
    const { status, text } = await finished;
    expect(status, text).toBe(0);
    await workspace.isSettled();
  });

  it('keeps what was acknowledged when interrupted, changes nothing else, and finishes next time', async () => {
    const workspace = tenant.workspace(many(12));
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let sent = 0;
    relay.fate = async (line): Promise<Fate> => {
      if (line !== CHANGES) return 'pass';
      sent += 1;
      if (sent === 2) await held;
      return 'pass';
    };
    const { process: child, finished } = workspace.start(['apply', '-auto-approve', '-parallelism=4']);
    await expect.poll(() => sent, { timeout: 20_000 }).toBe(2);
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    await new Promise<void>((resolve) =>
      child.stdout?.on('data', (chunk) => {
        if (String(chunk).includes('Gracefully shutting down')) resolve();
      }),
    );
    release?.();
    const { status } = await finished;
    expect(status).toBe(1);
    const kept = (await workspace.ok('state', 'list')).trim().split('\n');
    const made = await tenant.addresses();
    expect(kept.length).toBe(made.length);
    expect(made.length).toBeGreaterThan(0);
    expect(made.length).toBeLessThan(12);
    expect(sent).toBe(2);
    expect(await workspace.apply()).toContain(`${12 - made.length} added, 0 changed, 0 destroyed`);
    await workspace.isSettled();
  });

  it('gives up waiting when it is interrupted while the cloud is away', async () => {
    const workspace = tenant.workspace(many(2));
    relay.fate = (line) => (line === CHANGES ? 'busy' : 'pass');
    const { process: child, finished } = workspace.start(['apply', '-auto-approve']);
    await expect.poll(() => relay.count(CHANGES), { timeout: 20_000 }).toBeGreaterThan(1);
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    const { status, text } = await finished;
    expect(status).toBe(1);
    expect(unwrapped(text)).toMatch(/Interrupted|busy/);
    relay.fate = () => 'pass';
    expect(await workspace.apply()).toContain('2 added');
  });

  it('is interrupted while the cloud does not answer its first request', async () => {
    const workspace = tenant.workspace(many(1));
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    relay.fate = async (): Promise<Fate> => {
      await held;
      return 'pass';
    };
    const { process: child, finished } = workspace.start(['plan']);
    await expect.poll(() => relay.seen.length, { timeout: 20_000 }).toBeGreaterThan(0);
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    const { status, text } = await finished;
    release?.();
    expect(status).toBe(1);
    expect(unwrapped(text)).toContain('Terraform was interrupted: nothing was changed.');
    expect(text).not.toContain('Fault in the provider');
  });

  it('leaves no process and no secret in its log', async () => {
    const workspace = tenant.workspace(
      `${many(1)}\nresource "service_api_key" "k" {\n  name = "k"\n  scopes = ["records:read"]\n  secret_wo = "svc_${'z'.repeat(40)}"\n  secret_wo_version = 1\n}`,
    );
    const { finished } = workspace.start(['apply', '-auto-approve'], { TF_LOG_PROVIDER: 'TRACE' });
    const { status, stderr } = await finished;
    expect(status).toBe(0);
    expect(stderr).toMatch(/changes made: .*count=/);
    expect(stderr).not.toContain('zzzz');
    expect(stderr).not.toContain(tenant.env.SERVICE_CLIENT_SECRET);
  });
});
