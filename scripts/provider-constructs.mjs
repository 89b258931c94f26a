/**
 * Generates the typed CDKTF constructs from the built provider's schema, without Terraform: a file for each resource and
 * data source, in provider/src/cdktf/generated.
 *   npm run constructs -w provider [-- --check]    with --check: writes nothing, exits with 1 when they are stale
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { schemaMessage } from '../provider/dist/terraform/framework/schema-message.js';
import { NESTING } from '../provider/dist/terraform/protocol/messages.js';
import { serviceProvider } from '../provider/dist/terraform/resources/service-provider.js';
import { strict } from './strict-constructs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'provider/src/cdktf/generated');
const SOURCE = 'authz-service/service';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const { version } = JSON.parse(readFileSync(join(root, 'provider/package.json'), 'utf8'));

const scratch = mkdtempSync(join(tmpdir(), 'constructs-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
// When it is loaded, the generator asks Terraform for its version and its makers for a newer one; neither is needed here.
Object.assign(process.env, { TERRAFORM_BINARY_NAME: 'true', CHECKPOINT_DISABLE: '1' });

const NESTING_WORDS = new Map(Object.entries(NESTING).map(([word, number]) => [number, word]));

/** What Terraform says with "providers schema -json" of the messages that it gets. */
function schema() {
  const { schema: own, resources, dataSources } = serviceProvider({});
  const provider = {
    provider: schemaJson(own),
    resource_schemas: schemasJson(resources),
    data_source_schemas: schemasJson(dataSources),
  };
  const name = `registry.terraform.io/${SOURCE}`;
  return { format_version: '1.0', provider_schemas: { [name]: provider }, provider_versions: { [name]: version } };
}

const byName = ([left], [right]) => (left < right ? -1 : 1);
const schemasJson = (offers) =>
  Object.fromEntries(
    Object.entries(offers)
      .sort(byName)
      .map(([type, offer]) => [type, schemaJson(offer.schema)]),
  );

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

/** The generated files by name. The generator's links lead to pages that only a public registry has. */
async function generated() {
  const { CodeMaker } = await import('codemaker');
  const { default: generator } = await import('@cdktf/provider-generator/lib/get/generator/provider-generator.js');
  const { default: commons } = await import('@cdktf/commons');
  const code = new CodeMaker({ indentationLevel: 2 });
  const constraint = new commons.TerraformProviderConstraint(`${SOURCE}@~> ${version.replace(/\.\d+$/, '')}`);
  new generator.TerraformProviderGenerator(code, schema()).generate(
    commons.ConstructsMakerTarget.from(constraint, commons.Language.TYPESCRIPT),
  );
  const out = join(scratch, 'generated');
  await code.save(out);
  const made = join(out, 'providers/service');
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

/** The attributes that our own schema gives what a file declares: it knows more of them than Terraform's form of it. */
function attributesOf(text) {
  const { schema: own, resources, dataSources } = serviceProvider({});
  const [, base, type] =
    /^export class \w+ extends cdktf\.Terraform(\w+) \{[\s\S]*?terraformResourceType: '(\w+)'/m.exec(text) ?? [];
  if (base === 'Provider') return own.attributes;
  return (base === 'DataSource' ? dataSources : resources)[type].schema.attributes;
}

const files = await generated();
if (values.check) {
  const committed = readdirSync(folder).sort();
  const stale = [...new Set([...committed, ...files.keys()])].filter(
    (name) => !committed.includes(name) || files.get(name) !== readFileSync(join(folder, name), 'utf8'),
  );
  if (stale.length > 0) {
    process.stderr.write(`Stale: ${stale.join(', ')}. "npm run constructs -w provider" writes them anew.\n`);
    process.exit(1);
  }
} else {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  process.stdout.write(`${files.size} constructs in provider/src/cdktf/generated\n`);
}
