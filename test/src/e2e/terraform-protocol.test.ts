/** The plugin's protocol and framework, driven by the real Terraform through a provider that knows nothing of the product. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleFixture } from './terraform/bundle-fixture.js';
import { hasTerraform, unwrapped, Workspace } from './terraform/workspace.js';

const EVERY_FORM = `
resource "fixture_note" "a" {
  key       = "a"
  title     = "A"
  word      = "hello"
  amount    = 0.1
  done      = false
  tags      = ["b", "a"]
  steps     = ["x", "y"]
  labels    = { a = "b" }
  author    = { name = "me" }
  parts     = [{ text = "p1" }, { text = "p2", form = "bold" }]
  covers    = [{ what = "w", how = ["b", "a"] }, { what = "a", how = ["c"] }]
  password_wo         = "hidden-password"
  password_wo_version = 1
}`;

describe.skipIf(!hasTerraform)('the plugin protocol against the real Terraform', () => {
  let executable: string;
  let notes: string;
  let workspace: Workspace;

  beforeAll(async () => {
    executable = await bundleFixture();
  });
  afterAll(() => rmSync(dirname(executable), { recursive: true, force: true }));

  beforeEach(() => {
    notes = mkdtempSync(join(tmpdir(), 'notes-'));
    workspace = new Workspace({ providers: { fixture: executable }, env: { FIXTURE_DIR: notes } });
  });
  afterEach(() => {
    workspace.remove();
    rmSync(notes, { recursive: true, force: true });
  });

  const noteOf = (key: string) => JSON.parse(readFileSync(join(notes, `${key}.json`), 'utf8'));
  const change = (key: string, fields: object) =>
    writeFileSync(join(notes, `${key}.json`), JSON.stringify({ ...noteOf(key), ...fields }));

  it('creates every form of attribute, settles, and keeps write-only values out of the state', async () => {
    workspace.write(EVERY_FORM);
    await workspace.ok('validate');
    expect(await workspace.apply()).toContain('1 added, 0 changed, 0 destroyed');
    await workspace.isSettled();
    expect(workspace.stateText()).not.toContain('hidden-password');
    expect(noteOf('a').password).toBe('hidden-password');
    expect(await workspace.attributes('fixture_note.a')).toMatchObject({ amount: 0.1, priority: 0, tags: ['a', 'b'] });
  });

  it.each([
    [
      'order in sets, and case where it means nothing',
      {
        'tags      = ["b", "a"]': 'tags = ["a", "b", "a"]',
        '"hello"': '"HeLLo"',
        'how = ["b", "a"]': 'how = ["a", "b"]',
      },
    ],
    [
      'a default that is written out',
      { 'done ': 'priority = 0\n  done ', 'text = "p1"': 'text = "p1", form = "plain"' },
    ],
  ])('plans nothing for a change of %s', async (_name, edits: Record<string, string>) => {
    workspace.write(EVERY_FORM);
    await workspace.apply();
    workspace.write(Object.entries(edits).reduce((text, [from, to]) => text.replace(from, to), EVERY_FORM));
    await workspace.isSettled();
  });

  it('updates in place, makes unknown only what an update makes, and unsets what is left out', async () => {
    workspace.write(EVERY_FORM);
    await workspace.apply();
    const before = await workspace.attributes('fixture_note.a');
    workspace.write(EVERY_FORM.replace('title     = "A"', '').replace('"p2"', '"p3"').replace('"x"', '"z"'));
    const plan = await workspace.ok('plan');
    expect(plan).toMatch(/~ version\s+= 1 -> \(known after apply\)/);
    expect(plan).not.toMatch(/id\s+=.*known after apply/);
    expect(await workspace.apply()).toContain('0 added, 1 changed, 0 destroyed');
    expect(await workspace.attributes('fixture_note.a')).toMatchObject({
      id: before.id,
      secret: before.secret,
      version: 2,
      title: null,
      steps: ['z', 'y'],
    });
    await workspace.isSettled();
  });

  it('replaces where the key changes, and whatever hangs on it', async () => {
    const chain = (key: string) => `
      resource "fixture_note" "a" { key = "${key}" }
      resource "fixture_note" "b" { key = "\${fixture_note.a.key}-b" }
      resource "fixture_note" "c" {
        key   = "c"
        title = fixture_note.b.id
        labels = { b = fixture_note.b.id }
        covers = [{ what = fixture_note.b.id, how = [fixture_note.a.id] }]
      }`;
    workspace.write(chain('one'));
    await workspace.apply();
    workspace.write(chain('two'));
    expect(await workspace.ok('plan')).toContain('# forces replacement');
    expect(await workspace.apply()).toContain('2 added, 1 changed, 2 destroyed');
    await workspace.isSettled();
    expect(readdirSync(notes).sort()).toEqual(['c.json', 'two-b.json', 'two.json']);
    expect(noteOf('c').title).toBe(noteOf('two-b').id);
  });

  it('takes numbers that a double cannot hold', async () => {
    workspace.write(`
      resource "fixture_note" "n" {
        for_each = { huge = 123456789012345678901234567890, tenth = 0.1, negative = -9007199254740993, small = -5, large = 4294967296 }
        key    = each.key
        amount = each.value
      }`);
    await workspace.apply();
    await workspace.isSettled();
    expect(workspace.stateText()).toContain('123456789012345678901234567890');
    expect(workspace.stateText()).toContain('-9007199254740993');
  });

  it('follows for_each, modules, moved blocks and -target', async () => {
    const note =
      'variable "key" {}\nresource "fixture_note" "inner" { key = var.key }\noutput "id" { value = fixture_note.inner.id }';
    workspace.write(note, 'module/main.tf');
    const root = (name: string, more: string) => `
      resource "fixture_note" "${name}" {
        for_each = { x = "1", y = "2" }
        key      = each.key
        labels   = { (each.key) = module.inner.id }
      }
      module "inner" {
        source = "./module"
        key    = "inner"
      }
      ${more}`;
    workspace.write(root('old', ''));
    await workspace.ok('get');
    expect(await workspace.apply('-target=module.inner')).toContain('1 added');
    expect(await workspace.apply('-parallelism=50')).toContain('2 added');
    workspace.write(root('new', 'moved {\n  from = fixture_note.old\n  to = fixture_note.new\n}'));
    expect(await workspace.apply()).toContain('0 added, 0 changed, 0 destroyed');
    await workspace.isSettled();
    expect(await workspace.apply('-destroy')).toContain('3 destroyed');
    expect(readdirSync(notes)).toEqual([]);
  });

  it('shows drift, records it with -refresh-only, and recreates what was removed', async () => {
    workspace.write('resource "fixture_note" "a" {\n  key = "a"\n  title = "A"\n}');
    await workspace.apply();
    change('a', { title: 'drifted' });
    expect(await workspace.ok('plan')).toMatch(/~ title\s+= "drifted" -> "A"/);
    await workspace.apply('-refresh-only');
    expect(await workspace.attributes('fixture_note.a')).toMatchObject({ title: 'drifted' });
    rmSync(join(notes, 'a.json'));
    expect(await workspace.apply()).toContain('1 added');
    await workspace.isSettled();
  });

  it('imports by command and by block with generated configuration', async () => {
    workspace.write(EVERY_FORM);
    await workspace.apply();
    await workspace.ok('state', 'rm', 'fixture_note.a');
    expect(await workspace.ok('import', 'fixture_note.a', 'a')).toContain('Import successful!');
    await workspace.ok('state', 'rm', 'fixture_note.a');
    workspace.write('import {\n  to = fixture_note.a\n  id = "a"\n}');
    expect(await workspace.ok('plan', '-generate-config-out=generated.tf')).toContain(
      '1 to import, 0 to add, 0 to change',
    );
    expect(await workspace.apply()).toContain('1 imported, 0 added, 0 changed');
    await workspace.isSettled();
    expect(await workspace.fails('import', 'fixture_note.b["x"]', 'nowhere')).toMatch(/nowhere|does not exist/);
  });

  it('reads data and opens ephemeral resources, whose values reach write-only attributes and nothing else', async () => {
    workspace.write(`
      ephemeral "fixture_token" "t" { length = 20 }
      resource "fixture_note" "a" {
        key                 = "a"
        title               = "A"
        password_wo         = ephemeral.fixture_token.t.value
        password_wo_version = 1
      }
      data "fixture_note" "a" {
        key        = fixture_note.a.key
        depends_on = [fixture_note.a]
      }
      output "title" { value = data.fixture_note.a.title }`);
    await workspace.apply();
    expect(await workspace.outputs()).toEqual({ title: 'A' });
    expect(noteOf('a').password).toBe('t'.repeat(20));
    expect(workspace.stateText()).not.toContain('t'.repeat(20));
    await workspace.isSettled();
  });

  it('points into the configuration where a value is refused, at validation and at apply', async () => {
    workspace.write(
      'resource "fixture_note" "a" {\n  key = "a"\n  parts = [\n    { text = "good" },\n    { text = "bad" },\n  ]\n}',
    );
    const { text, status } = await workspace.run('validate');
    expect(status).toBe(1);
    expect(unwrapped(text)).toContain('Error: Bad part with fixture_note.a, on main.tf line 10');
    workspace.write(
      'resource "fixture_note" "a" { key = "a" }\nresource "fixture_note" "b" {\n  key = "a"\n  title = fixture_note.a.id\n}',
    );
    expect(await workspace.fails('apply', '-auto-approve')).toMatch(
      /Exists already with fixture_note.b, on main.tf line 8.*The note "a" exists/,
    );
    expect(await workspace.ok('state', 'list')).toBe('fixture_note.a\n');
  });

  it('keeps what was acknowledged when interrupted; the next apply finishes', async () => {
    workspace.write(`
      provider "fixture" { wait_ms = 60000 }
      resource "fixture_note" "b" { key = "b" }`);
    const { process: child, finished } = workspace.start(['apply', '-auto-approve']);
    await new Promise<void>((resolve) =>
      child.stdout?.on('data', (chunk) => {
        if (String(chunk).includes('fixture_note.b: Creating...')) resolve();
      }),
    );
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    const { status, text } = await finished;
    expect(status).toBe(1);
    expect(unwrapped(text)).toContain('Error: Interrupted');
    expect(readdirSync(notes)).toEqual([]);
    workspace.write('resource "fixture_note" "b" { key = "b" }');
    expect(await workspace.apply()).toContain('1 added');
  });

  it('logs records that Terraform understands', async () => {
    workspace.write('resource "fixture_note" "a" { key = "a" }');
    const { finished } = workspace.start(['plan'], { TF_LOG_PROVIDER: 'TRACE' });
    const { stderr, status } = await finished;
    expect(status).toBe(0);
    expect(stderr).toMatch(/\[TRACE\] provider\.terraform-provider-fixture_v1\.0\.0\.cjs: served: .*method=\w+/);
  });

  it('is not blocked by what it writes to standard output', async () => {
    workspace.write('resource "fixture_note" "a" { key = "a" }');
    const { status } = await workspace.start(['plan'], { FIXTURE_NOISE: '1' }).finished;
    expect(status).toBe(0);
  });

  it('listens where TMPDIR is too long for a socket, and leaves nothing behind', async () => {
    workspace.write('resource "fixture_note" "a" { key = "a" }');
    const long = join(notes, 'x'.repeat(90));
    const { mkdirSync } = await import('node:fs');
    mkdirSync(long);
    const { status, text } = await workspace.start(['plan'], { TMPDIR: long }).finished;
    expect(status, text).toBe(0);
    expect(readdirSync(long)).toEqual([]);
  });

  it('refuses an unencrypted connection unless it is allowed', async () => {
    workspace.write('resource "fixture_note" "a" { key = "a" }');
    const { finished } = workspace.start(['plan'], { TF_DISABLE_PLUGIN_TLS: '1', SERVICE_PROVIDER_PLAINTEXT: '1' });
    expect((await finished).status).toBe(0);
  });

  it('is installed from a mirror on disk by terraform init, and its schema is readable', async () => {
    const { cpSync, mkdirSync } = await import('node:fs');
    const target = join(
      notes,
      'mirror/registry.terraform.io/authz-service/fixture/1.0.0',
      `linux_${process.arch === 'x64' ? 'amd64' : process.arch}`,
    );
    mkdirSync(target, { recursive: true });
    cpSync(executable, join(target, 'terraform-provider-fixture_v1.0.0.cjs'));
    const config = join(notes, 'mirror.tfrc');
    writeFileSync(
      config,
      `provider_installation {\n filesystem_mirror {\n  path = "${join(notes, 'mirror')}"\n }\n}\n`,
    );
    workspace.env.TF_CLI_CONFIG_FILE = config;
    workspace.write('resource "fixture_note" "a" { key = "a" }');
    await workspace.ok('init');
    expect(existsSync(join(workspace.dir, '.terraform.lock.hcl'))).toBe(true);
    await workspace.apply();
    const schema = JSON.parse((await workspace.run('providers', 'schema', '-json')).stdout);
    const { attributes } =
      schema.provider_schemas['registry.terraform.io/authz-service/fixture'].resource_schemas.fixture_note.block;
    expect(attributes.password_wo).toMatchObject({ write_only: true, optional: true });
    expect(attributes.covers.nested_type.nesting_mode).toBe('set');
  });
});
