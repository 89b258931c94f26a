/** The provider's configuration, secrets and data sources, by the real Terraform against a running cloud. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import { describe, expect, it } from 'vitest';
import type { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform, unwrapped, type Workspace } from './terraform/workspace.js';

describe.skipIf(!hasTerraform)('the provider', () => {
  let cloud: TestCloud;
  let tenant: TerraformTenant;
  eachOnATenant((made, on) => {
    [tenant, cloud] = [made, on];
  });

  const TWO_ROLES = 'resource "service_role" "a" { name = "a" }\nresource "service_role" "b" { name = "b" }';

  describe('configured wrongly gives one diagnostic', () => {
    it.each<[string, Record<string, string>, string, RegExp]>([
      [
        'no credentials',
        { SERVICE_CLIENT_ID: '', SERVICE_CLIENT_SECRET: ' ' },
        '',
        /SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET are not set/,
      ],
      ['no secret', { SERVICE_CLIENT_SECRET: '' }, '', /SERVICE_CLIENT_SECRET is not set: set it/],
      [
        'a refused secret from the environment',
        { SERVICE_CLIENT_SECRET: 'wrong-secret-wrong' },
        '',
        /refused the client: check SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET/,
      ],
      [
        'a refused client from the block',
        {},
        'client_id = "x"\nclient_secret = "wrong-secret-wrong"',
        /check client_id and client_secret in the provider block,/,
      ],
      [
        'a refused secret from the block',
        {},
        'client_secret = "wrong-secret-wrong"',
        /check SERVICE_CLIENT_ID and client_secret in the provider block/,
      ],
      [
        'an address where nobody listens',
        { SERVICE_CLOUD_URL: 'http://127.0.0.1:59999' },
        '',
        /cannot be reached.*The address http:\/\/127\.0\.0\.1:59999 comes from SERVICE_CLOUD_URL\./,
      ],
      [
        'an address of another scheme',
        { SERVICE_CLOUD_URL: 'ftp://x' },
        '',
        /SERVICE_CLOUD_URL: "ftp:\/\/x" is no http/,
      ],
      [
        'an address that is none',
        {},
        'cloud_url = "localhost"',
        /cloud_url in the provider block: "localhost" is no URL/,
      ],
      ['a tenant without a name', {}, 'tenant = ""', /tenant: "" must not be empty/],
      [
        'an empty client, as of a variable',
        {},
        'client_id = ""',
        /client_id: "" must not be empty. Without one it is SERVICE_CLIENT_ID/,
      ],
    ])('for %s', async (_name, env, block, expected) => {
      const workspace = tenant.workspace(`provider "service" {\n${block}\n}\n${TWO_ROLES}`, env);
      const text = await workspace.fails('plan');
      expect(text).toMatch(expected);
      expect(text.match(/Error: /g)).toHaveLength(1);
      expect(text).not.toContain('wrong-secret-wrong');
    });

    it('for a credential that was deleted', async () => {
      const { secrets } = await tenant.client.changeset({
        changes: [{ op: 'create', kind: 'oauth_client', fields: { name: 'gone', scopes: ['records:write'] } }],
      });
      const [made] = secrets;
      if (made === undefined || !('client_secret' in made)) throw new Error('no client');
      const env = { SERVICE_CLIENT_ID: made.client_id, SERVICE_CLIENT_SECRET: String(made.client_secret) };
      const workspace = tenant.workspace(TWO_ROLES, env);
      await workspace.apply();
      await tenant.client.changeset({ changes: [{ op: 'delete', address: 'oauth_client/gone' }] });
      expect(await workspace.fails('plan')).toMatch(/refused the client.*still exists/);
    });
  });

  it('plans while its own configuration is not known yet, and applies when it is', async () => {
    const workspace = tenant.workspace(`
      resource "terraform_data" "url" { input = "${cloud.url}" }
      provider "service" { cloud_url = terraform_data.url.output }
      ${TWO_ROLES}`);
    expect(await workspace.apply()).toContain('3 added');
    await workspace.isSettled();
  });

  describe('keeps secrets', () => {
    const KEY = `svc_${'s'.repeat(40)}`;
    const key = (more: string) =>
      `resource "service_api_key" "k" {\n  name = "k"\n  scopes = ["records:read"]\n${more}\n}`;
    const client = (more: string) =>
      `resource "service_oauth_client" "c" {\n  name = "c"\n  scopes = ["records:read"]\n${more}\n}`;
    const whoami = (apiKey: string) => new ServiceClient({ url: cloud.url, credentials: { apiKey } }).whoami();

    /** Every file that Terraform has left, plans included. */
    const leftBy = (workspace: Workspace) =>
      readdirSync(workspace.dir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith('.tf') && !entry.name.endsWith('.tfvars'))
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
        .join('');

    it('that it makes: shown by no plan, kept over changes', async () => {
      const workspace = tenant.workspace(
        `${key('')}\n${client('')}\noutput "key" {\n value = service_api_key.k.secret\n sensitive = true\n}`,
      );
      const text = await workspace.apply();
      const { key: secret } = await workspace.outputs();
      expect((await whoami(String(secret))).credential.name).toBe('k');
      expect(text).not.toContain(String(secret));
      const made = await workspace.attributes('service_oauth_client.c');
      const credentials = { clientId: String(made.client_id), clientSecret: String(made.client_secret) };
      expect((await new ServiceClient({ url: cloud.url, credentials }).whoami()).credential.name).toBe('c');
      workspace.write(`${key('description = "changed"')}\n${client('')}`);
      expect(await workspace.apply()).toContain('0 added, 1 changed, 0 destroyed');
      expect(await workspace.attributes('service_api_key.k')).toMatchObject({ secret, description: 'changed' });
      await workspace.isSettled();
    });

    it('that were chosen: in no state and no plan, replaced by another version', async () => {
      const chosen = (secret: string, version: number) =>
        `variable "secret" {\n  type = string\n  ephemeral = true\n  default = "${secret}"\n}\n` +
        `${key(`secret_wo = var.secret\nsecret_wo_version = ${version}`)}\n` +
        client(`secret_wo = var.secret\nsecret_wo_version = ${version}`);
      const workspace = tenant.workspace(chosen(KEY, 1));
      await workspace.ok('plan', '-out=saved.plan');
      await workspace.ok('apply', 'saved.plan');
      expect((await whoami(KEY)).credential.name).toBe('k');
      await workspace.isSettled();
      const other = `svc_${'t'.repeat(40)}`;
      workspace.write(chosen(other, 1));
      await workspace.isSettled();
      workspace.write(chosen(other, 2));
      expect(await workspace.apply()).toContain('0 added, 2 changed, 0 destroyed');
      expect((await whoami(other)).credential.name).toBe('k');
      await expect(whoami(KEY)).rejects.toThrow();
      const { client_id: clientId } = await workspace.attributes('service_oauth_client.c');
      const credentials = { clientId: String(clientId), clientSecret: other };
      expect((await new ServiceClient({ url: cloud.url, credentials }).whoami()).credential.name).toBe('c');
      expect(leftBy(workspace)).not.toContain(KEY);
      expect(leftBy(workspace)).not.toContain(other);
      expect(await workspace.attributes('service_api_key.k')).toMatchObject({ secret: null, secret_wo: null });
      await workspace.isSettled();
    });

    it('that may be chosen or made, which shows only in the apply', async () => {
      const input = (text: string) => `-var=input=${text}`;
      const workspace = tenant.workspace(`
        variable "input" { type = string }
        resource "terraform_data" "x" { input = var.input }
        ${key(`
          secret_wo         = terraform_data.x.output == "chosen" ? "${KEY}" : null
          secret_wo_version = terraform_data.x.output == "chosen" ? 1 : null`)}`);
      await workspace.apply(input('made'));
      const { secret } = await workspace.attributes('service_api_key.k');
      expect((await whoami(String(secret))).credential.name).toBe('k');
      await workspace.apply(input('still made'));
      expect(await workspace.attributes('service_api_key.k')).toMatchObject({ secret });
      await workspace.apply(input('chosen'));
      expect(await workspace.attributes('service_api_key.k')).toMatchObject({ secret: null });
      expect((await whoami(KEY)).credential.name).toBe('k');
      await workspace.isSettled(input('chosen'));
    });

    it.each<[string, string, RegExp]>([
      ['that are too short', key('secret_wo = "svc_short"\nsecret_wo_version = 1'), /Invalid secret_wo .*at least 32/],
      ['without a version', key(`secret_wo = "${KEY}"`), /given without `secret_wo_version`/],
      ['without a value', client('secret_wo_version = 1'), /given without `secret_wo`/],
    ])('and refuses those %s', async (_name, configuration, expected) => {
      const text = await tenant.workspace(configuration).fails('validate');
      expect(text).toMatch(expected);
      expect(text).not.toContain(KEY);
    });

    it('such as its own token, for one run', async () => {
      const workspace = tenant.workspace(`
        ephemeral "service_access_token" "t" { scopes = ["records:read"] }
        provider "service" {}
        provider "service" {
          alias         = "made"
          client_secret = ephemeral.service_access_token.t.access_token != "" ? "${tenant.env.SERVICE_CLIENT_SECRET}" : null
        }
        resource "service_role" "r" {
          provider = service.made
          name     = "r"
        }`);
      await workspace.apply();
      await workspace.isSettled();
      expect(workspace.stateText()).not.toContain('eyJ');
    });
  });

  it('reads records by key, path, address and id, lists them by filter, and asks for decisions', async () => {
    await tenant.client.changeset({
      changes: [
        { op: 'create', kind: 'application', fields: { name: 'billing' } },
        { op: 'create', kind: 'resource_type', fields: { application: 'billing', name: 'invoice', actions: ['read'] } },
        { op: 'create', kind: 'role', fields: { application: 'billing', name: 'clerk' } },
        { op: 'create', kind: 'role', fields: { application: 'billing', name: 'boss' } },
        { op: 'create', kind: 'role', fields: { name: 'auditor' } },
        { op: 'create', kind: 'subject', fields: { type: 'user', id: 'alice', properties: { level: 3 } } },
        {
          op: 'create',
          kind: 'role_assignment',
          fields: { role: 'billing/clerk', entity_type: 'subject', entity: 'user/alice' },
        },
        {
          op: 'create',
          kind: 'policy',
          fields: {
            name: 'p',
            effect: 'ALLOW',
            resource_type: 'billing/invoice',
            actions: ['read'],
            condition: 'context.mfa',
          },
        },
        {
          op: 'create',
          kind: 'policy_assignment',
          fields: { policy: 'p', entity_type: 'role', entity: 'billing/clerk' },
        },
      ],
    });
    const workspace = tenant.workspace(`
      data "service_role" "by_key" {
        application = "billing"
        name        = "clerk"
      }
      data "service_role" "by_path" { path = "auditor" }
      data "service_role" "by_id" { id = data.service_role.by_key.id }
      data "service_subject" "by_address" { address = "subject/user/alice" }
      data "service_policy" "p" { name = "p" }
      data "service_roles" "billing" { application = "billing" }
      data "service_roles" "all" {}
      data "service_policies" "allow" { effect = "ALLOW" }
      data "service_decision" "yes" {
        subject  = { type = "user", id = "alice" }
        resource = { type = "invoice", name = "INV-1" }
        action   = "read"
        context  = jsonencode({ mfa = true })
      }
      check "nobody_else" {
        data "service_decision" "no" {
          subject  = { type = "user", id = "mallory" }
          resource = { type = "invoice", name = "INV-1" }
          action   = "read"
          context  = jsonencode({ mfa = true })
        }
        assert {
          condition     = !data.service_decision.no.decision
          error_message = "mallory may read invoices"
        }
        assert {
          condition     = data.service_decision.no.decision
          error_message = "This assertion fails: \${data.service_decision.no.reason}"
        }
      }
      output "found" {
        value = {
          address = data.service_role.by_id.address
          auditor = data.service_role.by_path.name
          level   = jsondecode(data.service_subject.by_address.properties).level
          action  = one(data.service_policy.p.actions)
          billing = [for role in data.service_roles.billing.items : role.path]
          all     = length(data.service_roles.all.items)
          allow   = length(data.service_policies.allow.items)
          yes     = [data.service_decision.yes.decision, data.service_decision.yes.access_path]
          made    = data.service_role.by_key.created_at != ""
        }
      }`);
    const text = await workspace.apply();
    expect(unwrapped(text)).toContain('This assertion fails: No policy');
    expect(text).not.toContain('mallory may read');
    expect((await workspace.outputs()).found).toEqual({
      address: 'role/billing/clerk',
      auditor: 'auditor',
      level: 3,
      action: 'read',
      billing: ['billing/boss', 'billing/clerk'],
      all: 3,
      allow: 1,
      yes: [true, 'role'],
      made: true,
    });
  });

  it('says so when what is read is not identified, identified twice, or malformed', async () => {
    const decision = (label: string, resource: string, more = '') =>
      `data "service_decision" "${label}" {\n  subject = { type = "user", id = "a" }\n  resource = { ${resource} }\n  action = "x"\n${more}\n}`;
    const workspace = tenant.workspace(`
      data "service_role" "none" { application = "a" }
      data "service_role" "two" {
        name = "a"
        path = "a"
      }
      data "service_policies" "impossible" { effect = "Deny" }
      ${decision('nameless', 'type = "t"')}
      ${decision('malformed', 'type = "t", name = "n"', '  context = "mfa"')}`);
    const text = await workspace.fails('validate');
    expect(text).toMatch(
      /not identified with data\.service_role\.none,.*?Give "name", or one of "address", "path", "id"/,
    );
    expect(text).toMatch(/with data\.service_role\.two,.*?: "path" and "name" are given, but not both can count\./);
    expect(text).toMatch(/with data\.service_policies\.impossible,.*?effect: "Deny" .*did you mean "DENY"/);
    expect(text).toMatch(/Resource not identified with data\.service_decision\.nameless,/);
    expect(text).toMatch(/Invalid context with data\.service_decision\.malformed,.*?: context = "mfa"/);
  });

  it('says so when what is read does not exist', async () => {
    const workspace = tenant.workspace('data "service_role" "r" { name = "nobody" }');
    expect(await workspace.fails('plan')).toContain('no role with name "nobody"');
    await tenant.client.changeset({ changes: [{ op: 'create', kind: 'group', fields: { name: 'ops' } }] });
    workspace.write('data "service_role" "r" { id = "group/ops" }\ndata "service_group" "g" { path = "group/ops" }');
    const text = await workspace.fails('plan');
    expect(text).toContain('"group/ops" is read with data "service_group", not with data "service_role".');
    expect(text).toContain('"group/ops" is an address: give it as "address".');
  });

  it('says how to read what the configuration itself makes', async () => {
    // A direct reference makes Terraform wait by itself; one through a local value or a module does not.
    const roles = 'resource "service_role" "r" { name = "late" }\nlocals { path = service_role.r.path }';
    const workspace = tenant.workspace(`${roles}\ndata "service_role" "r" { path = local.path }`);
    expect(await workspace.fails('plan')).toContain('name the resource in depends_on');
    workspace.write(`${roles}
      data "service_role" "r" {
        path       = local.path
        depends_on = [service_role.r]
      }`);
    await workspace.apply();
    await workspace.isSettled();
  });
});
