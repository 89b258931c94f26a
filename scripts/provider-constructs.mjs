/**
 * Generates the typed CDKTF constructs from the provider's schema, without Terraform: a file for each resource and data
 * source, in provider/src/cdktf/generated, which Git ignores. The schema is read from the sources, since the compiler
 * needs the constructs. Does nothing where what stands there is of this schema; the build and the unit tests run it.
 *   node scripts/provider-constructs.mjs
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { strict } from './strict-constructs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'provider/src/cdktf/generated');
const stamp = join(folder, '.stamp');
const SOURCE = 'authz-service/service';
const text = (path) => readFileSync(join(root, path), 'utf8');
const { version } = JSON.parse(text('provider/package.json'));

const { NESTING, schemaMessage, serviceProvider } = await providerSources();
const NESTING_WORDS = new Map(Object.entries(NESTING).map(([word, number]) => [number, word]));
const { schema: own, resources, dataSources } = serviceProvider({});

/** The sources that contain the provider's schema, bundled in memory, since Node runs no TypeScript. */
async function providerSources() {
  const { outputFiles } = await build({
    stdin: {
      contents: ['framework/schema-message', 'protocol/messages', 'resources/service-provider']
        .map((path) => `export * from './${path}.js';`)
        .join('\n'),
      resolveDir: join(root, 'provider/src/terraform'),
    },
    alias: { '@authz-service/core': join(root, 'core/src'), '@authz-service/sdk': join(root, 'sdk/node/src') },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'warning',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/**
 * Changes with everything that the constructs are made from: schema, version, generator, and the scripts that call it.
 */
function inputsDigest() {
  const generator = text('node_modules/@cdktf/provider-generator/package.json');
  const scripts = ['scripts/provider-constructs.mjs', 'scripts/strict-constructs.mjs'].map(text);
  return digest([JSON.stringify([own, resources, dataSources]), version, generator, ...scripts]);
}

/** The digest of the constructs in the folder: a checkout of another commit may have changed or removed them. */
function outputsDigest() {
  mkdirSync(folder, { recursive: true });
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  return digest(names.sort().flatMap((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

function digest(texts) {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}

/** The output of "terraform providers schema -json" for the provider's messages. */
function schema() {
  const provider = {
    provider: schemaJson(own),
    resource_schemas: schemasJson(resources),
    data_source_schemas: schemasJson(dataSources),
  };
  const name = `registry.terraform.io/${SOURCE}`;
  return { format_version: '1.0', provider_schemas: { [name]: provider }, provider_versions: { [name]: version } };
}

function byName([left], [right]) {
  return left < right ? -1 : 1;
}

function schemasJson(offers) {
  return Object.fromEntries(
    Object.entries(offers)
      .sort(byName)
      .map(([type, offer]) => [type, schemaJson(offer.schema)]),
  );
}

function schemaJson(schema) {
  const { version, block } = schemaMessage(schema);
  return { version, block: { attributes: attributesJson(block.attributes), description: block.description } };
}

function attributesJson(attributes) {
  return Object.fromEntries(attributes.map((attribute) => [attribute.name, attributeJson(attribute)]).sort(byName));
}

function attributeJson({ name, type, nested_type: nested, description_kind, ...flags }) {
  if (nested === undefined) return { ...flags, type: JSON.parse(Buffer.from(type).toString()) };
  const { nesting, attributes } = nested;
  return {
    ...flags,
    nested_type: { nesting_mode: NESTING_WORDS.get(nesting), attributes: attributesJson(attributes) },
  };
}

/**
 * The generated files by name. The generator's links lead to pages that only a public registry has, so they are
 * removed.
 */
async function generated(scratch) {
  // When loaded, the generator looks up the versions of Terraform and of itself; neither is needed.
  Object.assign(process.env, { TERRAFORM_BINARY_NAME: 'true', CHECKPOINT_DISABLE: '1' });
  const { CodeMaker } = await import('codemaker');
  const { default: generator } = await import('@cdktf/provider-generator/lib/get/generator/provider-generator.js');
  const { default: commons } = await import('@cdktf/commons');
  const code = new CodeMaker({ indentationLevel: 2 });
  const constraint = new commons.TerraformProviderConstraint(`${SOURCE}@~> ${version.replace(/\.\d+$/, '')}`);
  new generator.TerraformProviderGenerator(code, schema()).generate(
    commons.ConstructsMakerTarget.from(constraint, commons.Language.TYPESCRIPT),
  );
  await code.save(scratch);
  const made = join(scratch, 'providers/service');
  const names = readdirSync(made, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return new Map(
    names.map(({ name }) => {
      const text = readFileSync(join(made, name, 'index.ts'), 'utf8')
        .replace(/^\/\/ https:\/\/registry\..*\n/, '')
        .replace(/\{@link https:\/\/registry\.\S+ ([^}]+)\}/g, '$1')
        .replace(/^ *\*\n *\* Docs at Terraform Registry: .*\n/gm, '')
        .replace(/^ *\*\n *\* Please be aware that the id field .*\n.*\n/gm, '')
        .replace(/[ \t]+$/gm, '');
      return [`${name}.ts`, strict(text, attributesOf(text))];
    }),
  );
}

/** The attributes in the provider's own schema, which contains more than Terraform's form of it. */
function attributesOf(text) {
  const [, base, type] =
    /^export class \w+ extends cdktf\.Terraform(\w+) \{[\s\S]*?terraformResourceType: '(\w+)'/m.exec(text) ?? [];
  if (base === 'Provider') return own.attributes;
  return (base === 'DataSource' ? dataSources : resources)[type].schema.attributes;
}

async function write() {
  const scratch = mkdtempSync(join(tmpdir(), 'constructs-'));
  try {
    const files = await generated(scratch);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    process.stdout.write(`${files.size} constructs in provider/src/cdktf/generated\n`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const inputs = inputsDigest();
const fresh = () => `${inputs} ${outputsDigest()}\n`;
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== fresh()) {
  await write();
  writeFileSync(stamp, fresh());
}
