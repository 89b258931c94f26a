/**
 * Repairs what generated constructs lack: they drop unknown options and accept any text where the schema lists the
 * allowed values. `strict` rewrites the text of one file so that it refuses the former and types the latter.
 */

const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/**
 * The generated interfaces of a file: each member's name, its type as text, and whether Terraform's own options are
 * added.
 */
function interfacesOf(text) {
  const found = new Map();
  for (const [, name, meta, body] of text.matchAll(
    /^export interface (\w+)( extends cdktf\.TerraformMetaArguments)? \{\n([\s\S]*?)^\}/gm,
  )) {
    const members = new Map(
      [...body.matchAll(/^ {2}readonly (\w+)\??: ([^;]+);$/gm)].map(([, key, type]) => [key, type]),
    );
    found.set(name, { members, meta: meta !== undefined });
  }
  return found;
}

const nestedIn = (interfaces, type) =>
  [...type.matchAll(/\w+/g)].map(([word]) => word).find((word) => interfaces.has(word));

/** The names of an interface's options, as the text of an object. */
function namesText(interfaces, name) {
  const { members, meta } = interfaces.get(name);
  const entries = [...members].map(([key, type]) => {
    const nested = nestedIn(interfaces, type);
    return `${key}: ${nested === undefined ? 'true' : namesText(interfaces, nested)}`;
  });
  return `{ ${[...(meta ? ['...META_ARGUMENTS'] : []), ...entries].join(', ')} }`;
}

/** The members whose values the schema lists, with their types, by the name of their interface. */
function enumerations(interfaces, name, attributes, found = new Map()) {
  const { members } = interfaces.get(name);
  for (const [attribute, { oneOf, attributes: inner }] of Object.entries(attributes)) {
    const key = camelCase(attribute);
    const type = members.get(key);
    if (type === undefined) continue;
    if (inner !== undefined) enumerations(interfaces, nestedIn(interfaces, type), inner, found);
    if (oneOf === undefined) continue;
    const values = oneOf.map((value) => `'${value}'`).join(' | ');
    const literal = type === 'string[]' ? `(${values})[]` : type.replace(/\bstring(?=;|$| \})/, values);
    found.set(name, [...(found.get(name) ?? []), { key, type: literal }]);
  }
  return found;
}

/** Replaces one part of the text, which must occur exactly once. */
function replaced(text, from, to) {
  if (text.split(from).length !== 2) throw new Error(`The generator's output is not as expected:  ${from}`);
  return text.replace(from, () => to);
}

/** `attributes` are those of the provider's schema for what the file declares. */
export function strict(text, attributes) {
  const [, construct] =
    /^export class (\w+) extends cdktf\.Terraform(?:Resource|DataSource|Provider) /m.exec(text) ?? [];
  if (construct === undefined) throw new Error('The generator has made a file without a construct.');
  const interfaces = interfacesOf(text);
  const config = `${construct}Config`;
  const { meta } = interfaces.get(config);
  const names = [...interfaces.keys()].filter((name) => name !== config);
  const put = new RegExp(`^ {2}public put(\\w+)\\(value: (${names.join('|') || '(?!)'})\\b[^)]*\\) \\{\n`, 'gm');
  const start = text.indexOf(`export class ${construct} extends`);

  let made = text.replace(put, (head, member, type, at) => {
    const place = at > start ? 'this.node.path' : 'placeOfPart(this)';
    const key = member[0].toLowerCase() + member.slice(1);
    return `${head}    knownOptions(\`\${${place}}: ${key}\`, value, ${namesText(interfaces, type)});\n`;
  });
  const [head] =
    new RegExp(`^ {2}public constructor\\(scope: Construct, id: string, config: ${config}[^\n]*\n`, 'm').exec(made) ??
    [];
  made = replaced(made, head, `${head}    knownOptions(placeOf(scope, id), config, KNOWN);\n`);
  for (const [name, members] of enumerations(interfaces, config, attributes)) {
    const [block] = new RegExp(`^export interface ${name} [\\s\\S]*?^\\}`, 'm').exec(made) ?? [];
    const typed = members.reduce(
      (changed, { key, type }) =>
        changed.replace(new RegExp(`(readonly ${key}\\??: )[^;]+;`), (_, before) => `${before}${type};`),
      block,
    );
    made = replaced(made, block, typed);
  }
  const imported = [
    'knownOptions',
    'placeOf',
    ...(meta ? ['META_ARGUMENTS'] : []),
    ...(made.includes('placeOfPart(') ? ['placeOfPart'] : []),
  ];
  made = replaced(
    made,
    "import * as cdktf from 'cdktf';\n",
    `import * as cdktf from 'cdktf';\nimport { ${imported.sort().join(', ')}, type OptionNames } from '../options/options.js';\n\nconst KNOWN: OptionNames = ${namesText(interfaces, config)};\n`,
  );
  return made;
}
