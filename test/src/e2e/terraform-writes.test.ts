/** How the provider reads and writes: few requests for many records, refusals one by one, interrupts and faults on the way. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { operatorOf } from '../conformance/over-http.js';
import { TerraformTenant } from './terraform/product.js';
import { type Handling, Relay } from './terraform/relay.js';
import { hasTerraform, unwrapped, type Workspace } from './terraform/workspace.js';

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
    relay.handling = async (line): Promise<Handling> => {
      if (line !== CHANGES) return 'pass';
      relay.handling = () => 'pass';
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

  describe('replaces a record under its own name, as -replace does, while others mention it', () => {
    const tree = (input: number, provider = '', more = '') => `
      provider "service" {
        ${provider}
      }
      resource "terraform_data" "v" { input = ${input} }
      resource "service_application" "a" { name = "a" }
      resource "service_role" "r" {
        application = service_application.a.path
        name        = "r"
        lifecycle {
          ${more}
          replace_triggered_by = [terraform_data.v]
        }
      }
      resource "service_subject" "s" {
        type = "user"
        id   = "s"
      }
      resource "service_role_holders" "r" {
        role    = service_role.r.path
        holders = [{ entity_type = "subject", entity = service_subject.s.path }]
      }`;
    const all = ['application/a', 'role/a/r', 'role_assignment/a/r//subject/user/s', 'subject/user/s'];
    const replaced = async (workspace: Workspace, ...args: string[]) => {
      const { id } = await workspace.attributes('service_role.r');
      const text = await workspace.apply(...args);
      expect((await workspace.attributes('service_role.r')).id === id).toBe(false);
      await workspace.isSettled();
      expect(await tenant.addresses()).toEqual(all);
      return unwrapped(text);
    };

    it('by -replace, by a trigger, and where it is tainted: in one revision each; and with what mentions it', async () => {
      const workspace = tenant.workspace(tree(1));
      await workspace.apply();
      let revisions = await tenant.revisions();
      expect(await replaced(workspace, '-replace=service_role.r')).toContain('1 added, 0 changed, 1 destroyed');
      expect(await tenant.revisions()).toBe(++revisions);
      workspace.write(tree(2));
      await replaced(workspace);
      expect(await tenant.revisions()).toBe(++revisions);
      await workspace.ok('taint', 'service_role.r');
      const tainted = await replaced(workspace);
      expect(tainted).toContain('"role/a/r" is replaced under its own name');
      expect(tainted).not.toContain('does not hold it in the state');
      expect(await tenant.revisions()).toBe(++revisions);
      await replaced(
        workspace,
        '-replace=service_application.a',
        '-replace=service_role.r',
        '-replace=service_subject.s',
      );
      await replaced(workspace, '-replace=service_role.r', '-replace=service_role_holders.r');
    });

    it('and says so in the plan, of every kind that others can mention, with what stays', async () => {
      const workspace = tenant.workspace(`
        resource "service_application" "a" { name = "a" }
        resource "service_resource_type" "t" {
          application = service_application.a.path
          name        = "t"
          actions     = ["read"]
        }
        resource "service_resource" "r" {
          type = service_resource_type.t.path
          name = "r"
        }
        resource "service_subject_type" "u" { name = "user" }
        resource "service_subject" "s" {
          type = service_subject_type.u.name
          id   = "s"
        }
        resource "service_group" "g" { name = "g" }
        resource "service_role" "r" {
          application = service_application.a.path
          name        = "r"
        }
        resource "service_policy" "p" {
          name      = "p"
          effect    = "ALLOW"
          resources = [{ resource = service_resource.r.path, actions = ["read"] }]
        }
        resource "service_policy_assignment" "p" {
          policy      = service_policy.p.path
          entity_type = "role"
          entity      = service_role.r.path
        }
        resource "service_role_assignment" "r" {
          role        = service_role.r.path
          entity_type = "group"
          entity      = service_group.g.path
        }
        resource "service_group_membership" "g" {
          group       = service_group.g.path
          entity_type = "subject"
          entity      = service_subject.s.path
        }
        resource "service_directory" "okta" {
          name = "okta"
        }
        resource "service_api_key" "k" {
          name      = "k"
          scopes    = ["directory"]
          directory = service_directory.okta.path
        }`);
      await workspace.apply();
      const users: Record<string, [address: string, user: string]> = {
        'service_application.a': ['application/a', '"resource_type/a/t"'],
        'service_resource_type.t': ['resource_type/a/t', '"resource/a/t/r"'],
        'service_resource.r': ['resource/a/t/r', '"policy/p"'],
        'service_subject.s': ['subject/user/s', '"group_membership/g//subject/user/s"'],
        'service_group.g': ['group/g', '"group_membership/g//subject/user/s"'],
        'service_role.r': ['role/a/r', '"role_assignment/a/r//group/g"'],
        'service_policy.p': ['policy/p', '"policy_assignment/p//role/a/r"'],
        'service_directory.okta': ['directory/okta', '"api_key/k"'],
      };
      for (const [resource, [address, user]] of Object.entries(users)) {
        const plan = unwrapped(await workspace.ok('plan', `-replace=${resource}`));
        expect(plan, resource).toContain(`"${address}" is replaced under its own name`);
        expect(plan, resource).toContain(user);
      }
      const quiet = await workspace.ok('plan', '-replace=service_group_membership.g');
      expect(quiet).not.toContain('is replaced under its own name');
    });

    it('also where it takes over records, in either order', async () => {
      const owning = 'take_ownership = true';
      const workspace = tenant.workspace(tree(1, owning));
      await workspace.apply();
      workspace.write(tree(2, owning));
      await replaced(workspace);
      workspace.write(tree(3, owning, 'create_before_destroy = true'));
      await workspace.apply();
      await workspace.isSettled();
      expect(await tenant.addresses()).toEqual(all);
    });

    it('and says why not where it would be created before its removal, in a stack without a name', async () => {
      const workspace = tenant.workspace(tree(1));
      await workspace.apply();
      workspace.write(tree(2, '', 'create_before_destroy = true'));
      expect(await workspace.fails('apply', '-auto-approve')).toMatch(
        /replaced under its own name: remove create_before_destroy/,
      );
      workspace.write(tree(3, 'stack = "terraform"', 'create_before_destroy = true'));
      await workspace.apply();
      await workspace.isSettled();
      expect(await tenant.addresses()).toEqual(all);
    });

    it('and makes it again in the next run if this one ends in between', async () => {
      const named = (name: string) => `provider "service" { stack = "team" }
        resource "service_application" "a" { name = "a" }
        resource "service_role" "r" {
          application = service_application.a.path
          name        = "r"
          description = "${name}"
        }
        resource "service_role" "q" {
          name     = "q"
          includes = [service_role.r.path]
        }`;
      const workspace = tenant.workspace(named('one'));
      await workspace.apply();
      relay.handling = (line) => (line === CHANGES ? 'refuse' : 'pass');
      workspace.write(named('two'));
      await workspace.fails('apply', '-auto-approve', '-replace=service_role.r');
      relay.handling = () => 'pass';
      expect(await workspace.ok('state', 'list')).not.toContain('service_role.r');
      expect(await tenant.fields('role/a/r')).toMatchObject({ description: 'one' });
      await workspace.apply();
      await workspace.isSettled();
      expect(await tenant.fields('role/a/r')).toMatchObject({ description: 'two' });
    });
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
    relay.handling = (line) => {
      if (line !== CHANGES) return 'pass';
      requests += 1;
      return (['lose', 'busy', 'reset', 'pass'] as const)[requests % 4] ?? 'pass';
    };
    const workspace = tenant.workspace(many(12));
    expect(await workspace.apply('-parallelism=3')).toContain('12 added');
    relay.handling = () => 'pass';
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
    relay.handling = () => (away ? 'reset' : 'pass');
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
    relay.handling = async (line): Promise<Handling> => {
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
    relay.handling = (line) => (line === CHANGES ? 'busy' : 'pass');
    const { process: child, finished } = workspace.start(['apply', '-auto-approve']);
    await expect.poll(() => relay.count(CHANGES), { timeout: 20_000 }).toBeGreaterThan(1);
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    const { status, text } = await finished;
    expect(status).toBe(1);
    expect(unwrapped(text)).toMatch(/Interrupted|busy/);
    relay.handling = () => 'pass';
    expect(await workspace.apply()).toContain('2 added');
  });

  it('is interrupted while the cloud does not answer its first request', async () => {
    const workspace = tenant.workspace(many(1));
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    relay.handling = async (): Promise<Handling> => {
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
