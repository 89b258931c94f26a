/** The output of `servicectl export --format hcl`, in the real Terraform. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { applyTree } from './terraform/apply-tree.js';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import { EVERY_ADDRESS, EVERY_KIND } from './terraform/every-kind.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform } from './terraform/workspace.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const PROGRAM = join(root, 'cli/bin/service.js');

/** Names and texts that Terraform's language must not misread. */
const ODD = `
version: 1
stack: odd
applications:
  "a.b":
    resource_types:
      t: { actions: [read], properties: { "for": string } }
    resources:
      "1 x": { type: t, properties: { "for": "\\"$" } }
      "1_x": { type: t, properties: { "k k": [1e-7, null, {}], "null": "%\\u007bif}", deep: { a: { b: "\\b\\f\\n\\t\\u2028é\\\\" } } } }
      "$\\u007bpath.cwd}": { type: t, description: "$$\\u007bx} %%\\u007by} # // \\n line two\\\\" }
subjects:
  { "user/a/b": {}, "service/ü": { name: "\\u0001" }, "service/ö": {}, "user/a.b@c": {}, "user/ab@c": {} }
`.replaceAll('"user/a/b"', '"user/a%2Fb"');

/** Records that mention some of their kind that sort after them, themselves, and each other. */
const CIRCLES = `
version: 1
stack: odd
applications:
  docs:
    resource_types:
      document: { actions: [read], parents: [{ type: folder, property: folder }] }
      folder: { actions: [list], parents: [{ type: folder, property: folder }] }
      a: { actions: [r], parents: [{ type: b, property: b }] }
      b: { actions: [r], parents: [{ type: a, property: a }] }
    resources:
      folder/hr: { parents: [folder/z] }
      folder/z: {}
    roles:
      editor: { includes: [viewer] }
      viewer: {}
`;

describe.skipIf(!hasTerraform)('configuration exported', { timeout: 90_000 }, () => {
  let tenant: TerraformTenant;
  eachOnATenant((made) => {
    tenant = made;
  });

  /** Exports, and expects that Terraform imports everything and then has nothing to do. */
  async function exported(count: number, ...flags: string[]): Promise<string> {
    const workspace = tenant.workspace('');
    const out = join(workspace.dir, 'exported');
    await promisify(execFile)(process.execPath, [PROGRAM, 'export', '--format', 'hcl', '--out', out, ...flags], {
      env: workspace.env,
    });
    const before = (await tenant.client.state()).revision;
    await workspace.ok('-chdir=exported', 'fmt', '-check', '-diff');
    const text = await workspace.ok('-chdir=exported', 'apply', '-auto-approve');
    expect(text).toContain(`${count} imported, 0 added, 0 changed, 0 destroyed`);
    await workspace.isSettled('-chdir=exported');
    expect((await tenant.client.state()).revision).toBe(before);
    return readdirSync(out)
      .filter((name) => name.endsWith('.tf'))
      .map((name) => readFileSync(join(out, name), 'utf8'))
      .join('\n');
  }

  it('imports records of every kind, which refer to each other', async () => {
    await tenant.workspace(EVERY_KIND).apply();
    const text = await exported(EVERY_ADDRESS.length);
    expect(text).toContain('resource_type = service_resource_type.billing_invoice.path');
    expect(text).toContain('stack = "terraform"');
  });

  it('imports the example tenant', async () => {
    await applyTree(tenant.client, join(root, 'examples/tenant'));
    await exported(46);
  });

  it('holds texts and names of all sorts', async () => {
    const folder = join(tenant.workspace('').dir, 'tree');
    mkdirSync(folder);
    writeFileSync(join(folder, 'odd.yaml'), ODD);
    await applyTree(tenant.client, folder);
    await exported(10);
  });

  it('holds records that mention themselves, later ones and each other', async () => {
    const folder = join(tenant.workspace('').dir, 'tree');
    mkdirSync(folder);
    writeFileSync(join(folder, 'circles.yaml'), CIRCLES);
    await applyTree(tenant.client, folder);
    const text = await exported(9);
    expect(text.match(/type\s+= service_resource_type\.docs_(?:folder|a|b)\.path/g)).toHaveLength(4);
  });

  it.each<[string, string | undefined, number]>([
    ['the example tenant', undefined, 46],
    ['texts and names of all sorts, some alike but for signs', ODD, 10],
    ['records that mention themselves, later ones and each other', CIRCLES, 9],
  ])('as a CDKTF app imports %s', async (_, tree, count) => {
    const workspace = await tenant.newcomer();
    const folder = join(workspace.dir, 'tree');
    mkdirSync(folder);
    if (tree === undefined) cpSync(join(root, 'examples/tenant'), folder, { recursive: true });
    else writeFileSync(join(folder, 'tree.yaml'), tree);
    await applyTree(tenant.client, folder);
    const out = join(workspace.dir, 'exported');
    const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { env: workspace.env, cwd: out });
    mkdirSync(out);
    await run(PROGRAM, 'export', '--format', 'cdktf', '--out', '.');
    symlinkSync(join(root, 'node_modules'), join(workspace.dir, 'node_modules'));
    writeFileSync(join(workspace.dir, 'package.json'), '{ "type": "module" }');
    await run('main.js');
    const stack = '-chdir=exported/cdktf.out/stacks/exported';
    await workspace.ok(stack, 'init');
    const text = await workspace.ok(stack, 'apply', '-auto-approve');
    expect(text).toContain(`${count} imported, 0 added, 0 changed, 0 destroyed`);
    await workspace.isSettled(stack);
  });

  it('imports what was made by hand, and leaves its owner', async () => {
    await tenant.client.records('role').create({ name: 'made-by-hand' });
    expect(await exported(2, '--stack', 'api', '--as', 'adopted')).toContain('oauth_client/administrator');
  });
});
