/** The example pipelines: their commands, taken from the files, run on a real repository against a running cloud. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { operatorOf } from '../conformance/over-http.js';
import { MergeRequestNotes } from './terraform/merge-request-notes.js';
import { environmentOf, type Notation, Pipelines, pipelineOf } from './terraform/pipelines.js';
import { TerraformTenant } from './terraform/product.js';
import { hasTerraform } from './terraform/workspace.js';

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
const edit = (file: string, from: string, to: string) => {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
};

/** How the tenant of the examples gets into a repository, how a branch changes it, and how another one breaks it. */
const NOTATIONS: { [N in Notation]: { fill(dir: string): void; change(dir: string): void; spoil(dir: string): void } } =
  {
    yaml: {
      fill: (dir) => cpSync(join(examples, 'tenant'), join(dir, 'tenant'), { recursive: true }),
      change: (dir) =>
        edit(
          join(dir, 'tenant/applications/docs.yaml'),
          'writer: {}',
          'writer: {}\n      reader: { includes: [writer], from_requests: true }',
        ),
      spoil: (dir) => edit(join(dir, 'tenant/tenant.yaml'), 'effect: ALLOW', 'effect: MAYBE'),
    },
    hcl: {
      fill(dir) {
        cpSync(join(examples, 'hcl'), dir, { recursive: true });
        writeFileSync(join(dir, 'backend.tf'), 'terraform {\n  backend "local" {}\n}\n');
      },
      change(dir) {
        const role =
          'resource "service_role" "reader" {\n  application = service_application.docs.path\n  name        = "reader"\n}\n';
        writeFileSync(join(dir, 'reader.tf'), role);
      },
      spoil: (dir) => edit(join(dir, 'main.tf'), '"ALLOW"', '"MAYBE"'),
    },
    cdktf: {
      fill(dir) {
        cpSync(join(examples, 'cdktf/dist'), dir, {
          recursive: true,
          filter: (path) => !/\.(map|d\.ts|tsbuildinfo)$/.test(path),
        });
        writeFileSync(join(dir, 'package.json'), '{ "private": true, "type": "module" }');
      },
      change: (dir) => edit(join(dir, 'docs.js'), 'const writer = ', "docs.role('reader');\n    const writer = "),
      spoil: (dir) => edit(join(dir, 'billing.js'), "'DENY'", "'MAYBE'"),
    },
  };

describe('the secret that may write', () => {
  it.each(
    (['yaml', 'hcl', 'cdktf'] as const).flatMap((notation) => [
      ['github', notation] as const,
      ['gitlab', notation] as const,
    ]),
  )('is in an environment that applying alone runs in: %s, %s', (host, notation) => {
    expect(environmentOf(host, notation, 'apply')).toBe('tenant');
    expect(environmentOf(host, notation, 'plan')).toBeUndefined();
  });
});

describe('the pipelines', () => {
  let cloud: TestCloud;
  let tenant: TerraformTenant;
  let pipelines: Pipelines;
  beforeAll(async () => {
    cloud = await TestCloud.start();
  });
  afterAll(() => cloud.close());
  beforeEach(async () => {
    tenant = await TerraformTenant.make(cloud, operatorOf(cloud));
    const made = await tenant.client.records('oauth_client').create({ name: 'ci-plan', scopes: ['records:read'] });
    pipelines = await Pipelines.make(tenant.env, {
      ...tenant.env,
      SERVICE_CLIENT_ID: made.client_id ?? '',
      SERVICE_CLIENT_SECRET: made.client_secret ?? '',
    });
  });
  afterEach(() => {
    pipelines.remove();
    tenant.remove();
  });

  const notations: Notation[] = hasTerraform ? ['yaml', 'hcl', 'cdktf'] : ['yaml'];
  it.each(notations)(
    'for %s plan on a pull request and apply on main',
    async (notation) => {
      const { fill, change, spoil } = NOTATIONS[notation];
      await pipelines.commit('main', fill);
      await pipelines.run('gitlab', notation, 'apply', 'main');
      expect(await tenant.addresses()).toContain('policy/billing/closed-is-closed');

      await pipelines.commit('change', change);
      const before = (await tenant.client.state()).revision;
      const { plan } = await pipelines.run('github', notation, 'plan', 'change');
      expect(plan).toMatch(/reader/);
      expect(plan).toMatch(/^### (?:✅ May be applied: |No verdict: )/);
      expect(plan).toMatch(/\n#### Access: [\s\S]*\b1 (?:to add|added|addition|record)/);
      expect(plan).toContain('[this run](https://github.example/acme/tenant/actions/runs/12). Merging plans again');
      await pipelines.run('github', notation, 'plan', 'change');
      const comments = pipelines.comments();
      expect(comments).toEqual(["Somebody's own words.\n", expect.stringContaining('reader')]);
      const [, comment = ''] = comments;
      expect(pipelines.summary().endsWith(comment.slice(comment.indexOf('\n') + 1))).toBe(true);
      expect((await tenant.client.state()).revision).toBe(before);

      await pipelines.merge('change');
      await pipelines.run('github', notation, 'apply', 'main');
      expect(await tenant.addresses()).toContain('role/docs/reader');
      if (notation === 'yaml') {
        const { value: last } = await tenant.client.audit({ limit: 1 }).next();
        expect(last?.source).toMatchObject({
          approved_by: ['bob', 'eve'],
          pipeline: 'https://github.example/acme/tenant/actions/runs/12',
        });
      }

      await pipelines.commit('wrong', spoil);
      await expect(pipelines.run('github', notation, 'plan', 'wrong')).rejects.toThrow(/MAYBE/);
      const [, refused = ''] = pipelines.comments();
      expect(refused).toMatch(/^<!-- plan of the tenant -->\n### ❌ (?:Must not be applied|No plan)/);
      if (notation !== 'cdktf') expect(refused).toContain('MAYBE');
    },
    120_000,
  );

  it.each(['github', 'gitlab'] as const)(
    'post a plan that an access rule refuses, and fail: %s',
    async (host) => {
      const notes = new MergeRequestNotes();
      const variables = await notes.start();
      try {
        const { fill } = NOTATIONS.yaml;
        await pipelines.commit('main', (dir) => {
          fill(dir);
          const rule =
            'version: 1\naccess_rules:\n  erin-edits-nothing: { never: { subjects: [user/erin], actions: [edit], resources: docs/page } }\n';
          writeFileSync(join(dir, 'tenant/rules.yaml'), rule);
          edit(join(dir, 'tenant/subjects.yaml'), 'subjects:\n', 'subjects:\n  user/erin: {}\n');
          edit(join(dir, 'tenant/applications/docs.yaml'), 'writer: {}', 'writer: { from_requests: false }');
        });
        await pipelines.run('gitlab', 'yaml', 'apply', 'main');
        await pipelines.commit('refused', (dir) =>
          edit(join(dir, 'tenant/subjects.yaml'), 'user/erin: {}', 'user/erin: { roles: [docs/writer] }'),
        );
        await expect(pipelines.run(host, 'yaml', 'plan', 'refused', variables)).rejects.toThrow(/access rule/);
        const [, comment = ''] = host === 'github' ? pipelines.comments() : notes.bodies;
        expect(comment).toMatch(
          /^<!-- plan of the tenant -->\n### ❌ Refused: the access rule "erin-edits-nothing" [\s\S]*user\/erin[\s\S]*#### Access: [\s\S]*<summary>Records: /,
        );
      } finally {
        notes.close();
      }
    },
    120_000,
  );

  it('post one comment on a merge request, too', async () => {
    const notes = new MergeRequestNotes();
    const variables = await notes.start();
    try {
      const { fill, change } = NOTATIONS.yaml;
      await pipelines.commit('main', fill);
      await pipelines.run('gitlab', 'yaml', 'apply', 'main');
      await pipelines.commit('change', (dir) => {
        change(dir);
        edit(join(dir, 'tenant/subjects.yaml'), 'subjects:\n', 'subjects:\n  user/erin: { roles: [docs/writer] }\n');
      });
      await pipelines.run('gitlab', 'yaml', 'plan', 'change', variables);
      const { plan } = await pipelines.run('gitlab', 'yaml', 'plan', 'change', variables);
      expect(plan).toMatch(/^### ✅ May be applied: no access rule refuses it, \d+ tests passed\./);
      expect(plan).toMatch(
        /#### Access: \d+ permissions? gained[\s\S]*<code>user\/erin<\/code> may now <code>edit<\/code>/,
      );
      expect(notes.bodies).toEqual(["Somebody's own words.", `<!-- plan of the tenant -->\n${plan}`]);
      const stranger = { ...variables, COMMENT_TOKEN: 'another' };
      await expect(pipelines.run('gitlab', 'yaml', 'plan', 'change', stranger)).rejects.toThrow(/GET .*notes.*: 401/);
    } finally {
      notes.close();
    }
  }, 120_000);

  it.each<Notation>(['yaml', 'hcl', 'cdktf'])('for %s do the same on either host', (notation) => {
    for (const job of ['plan', 'apply'] as const) {
      const [github, gitlab] = [pipelineOf('github', notation, job), pipelineOf('gitlab', notation, job)];
      expect(github.commands).toEqual(gitlab.commands);
      // Only how a comment is posted, and where the artifacts are, differs between hosts.
      expect([github.always.length, gitlab.always.length]).toEqual(job === 'plan' ? [3, 3] : [0, 0]);
      expect(github.env).toEqual(gitlab.env);
    }
  });
});
