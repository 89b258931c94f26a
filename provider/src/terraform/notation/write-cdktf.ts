import { splitAddress } from '@authz-service/core/records/address';
import { KINDS, type Kind } from '@authz-service/core/records/kinds';
import type { DeclaredRecord } from '@authz-service/core/records/registry';
import { camelCase, literal } from './construct-text.js';
import { declarationOrder, type NameOf, namesBefore } from './declaration-order.js';
import { type Configured, type ConfiguredAttributes, configurationOf } from './record-configuration.js';

/**
 * A CDKTF app, `main.js`, that declares the records and imports them, as `writeHcl` does in Terraform's language. It is
 * JavaScript that also compiles as TypeScript.
 */
export function writeCdktf(
  records: Iterable<DeclaredRecord>,
  { stack }: { stack: string },
): { path: string; text: string }[] {
  const sorted = declarationOrder(records);
  const names = variableNames(sorted);
  const namesFor = namesBefore(sorted, names);
  const used = KINDS.filter((kind) => sorted.some((record) => record.kind === kind));
  const imports = [
    ...used.map((kind) => [className(kind), `@authz-service/provider/constructs/${kind.replaceAll('_', '-')}`]),
    ['ServiceProvider', '@authz-service/provider/constructs/provider'],
    ['App, TerraformStack', 'cdktf'],
  ];
  const declarations = sorted.map((record) => {
    const attributes = object(configurationOf(record), namesFor(record));
    const address = text(String(literal(record.address)));
    const variable = names.get(record.address);
    // CDKTF leaves everything but letters and digits out of an id: two addresses could become one resource.
    return `const ${variable} = new ${className(record.kind)}(stack, '${variable}', ${attributes});\n${variable}.importFrom(${address});\n`;
  });
  return [
    {
      path: 'main.js',
      text: `${imports.map(([name, from]) => `import { ${name} } from '${from}';`).join('\n')}

const app = new App();
const stack = new TerraformStack(app, 'exported');
new ServiceProvider(stack, 'service', { stack: ${text(String(literal(stack)))} });

${declarations.join('\n')}
app.synth();
`,
    },
  ];
}

const text = (value: unknown) => JSON.stringify(value);

function className(kind: Kind): string {
  return camelCase(`_${kind}`);
}

/** A variable like `role_billing_accountant`: with the kind in front, no name is a keyword. */
function variableNames(records: readonly DeclaredRecord[]): Map<string, string> {
  const taken = new Set<string>();
  return new Map(
    records.map(({ kind, address }) => {
      const readable = `${kind}_${splitAddress(address).path.replace(/[^A-Za-z0-9]+/g, '_')}`;
      let name = readable;
      for (let number = 2; taken.has(name); number++) name = `${readable}_${number}`;
      taken.add(name);
      return [address, name];
    }),
  );
}

function object(attributes: ConfiguredAttributes, nameOf: NameOf, indent = ''): string {
  const inner = `${indent}  `;
  const lines = Object.entries(attributes).map(
    ([name, value]) => `${inner}${camelCase(name)}: ${expression(value, nameOf, inner)},\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}

function expression(configured: Configured, nameOf: NameOf, indent: string): string {
  if ('reference' in configured) {
    const name = nameOf(configured.reference);
    return name === undefined ? text(literal(configured.path)) : `${name}.path`;
  }
  if ('parts' in configured) {
    const texts = configured.parts.map((part) => {
      const name = typeof part === 'string' ? undefined : nameOf(part.reference);
      return name === undefined ? text(literal(typeof part === 'string' ? part : part.path)) : `${name}.path`;
    });
    return texts.join(' + ');
  }
  if ('items' in configured) return `[${configured.items.map((item) => expression(item, nameOf, indent)).join(', ')}]`;
  if ('attributes' in configured) return object(configured.attributes, nameOf, indent);
  return 'json' in configured ? `JSON.stringify(${jsonText(configured.json)})` : text(literal(configured.literal));
}

/** Free JSON: Terraform would read expressions in its keys and values, as in any text. */
function jsonText(json: unknown): string {
  return text(json).replace(/[$%](?=\{)/g, '$&$&');
}
