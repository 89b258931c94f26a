/**
 * Generates the typed CDKTF constructs from the schema that the built provider gives to Terraform, which must be on the
 * PATH: a file for each resource and data source, in provider/src/cdktf/generated.
 *   npm run constructs -w provider [-- --check]    with --check: writes nothing, exits with 1 when they are stale
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serviceProvider } from '../provider/dist/terraform/resources/service-provider.js';
import { strict } from './strict-constructs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'provider/src/cdktf/generated');
const SOURCE = 'authz-service/service';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const { version } = JSON.parse(readFileSync(join(root, 'provider/package.json'), 'utf8'));

const scratch = mkdtempSync(join(tmpdir(), 'constructs-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
writeFileSync(
  join(scratch, 'terraform.tfrc'),
  `provider_installation {\n dev_overrides {\n "${SOURCE}" = "${join(root, 'provider/dist/bundle')}"\n }\n direct {}\n}\n`,
);
writeFileSync(
  join(scratch, 'main.tf'),
  `terraform {\n required_providers {\n service = {\n source = "${SOURCE}"\n }\n }\n}\n`,
);
// The generator itself asks Terraform for its version, and would repeat what is wrong with a developer's settings.
Object.assign(process.env, { TF_CLI_CONFIG_FILE: join(scratch, 'terraform.tfrc'), CHECKPOINT_DISABLE: '1' });

function schema() {
  const text = execFileSync('terraform', ['providers', 'schema', '-json'], { cwd: scratch, encoding: 'utf8' });
  return { ...JSON.parse(text), provider_versions: { [`registry.terraform.io/${SOURCE}`]: version } };
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
