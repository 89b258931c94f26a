import type { Attribute, Attributes, Schema, Type } from '../framework/schema.js';

/** The sections of a page that describe the schema and the objects nested in it. */
export function schemaSection({ attributes }: Schema): string {
  return ['## Schema', ...groups(attributes, '###', ''), ...nestedSections(attributes, '')].join('\n\n');
}

const isGiven = ({ optional, default: standard }: Attribute) => optional === true || standard !== undefined;

function groups(attributes: Attributes, heading: string, path: string): string[] {
  const entries = Object.entries(attributes).sort(([left], [right]) => (left < right ? -1 : 1));
  const group = (title: string, belongs: (attribute: Attribute) => boolean) => {
    const lines = entries.filter(([, attribute]) => belongs(attribute)).map(([name, it]) => line(name, it, path));
    return lines.length === 0 ? [] : [`${heading} ${title}`, lines.join('\n')];
  };
  return [
    ...group('Required', ({ required }) => required === true),
    ...group('Optional', (attribute) => attribute.required !== true && isGiven(attribute)),
    ...group('Read-Only', (attribute) => attribute.required !== true && !isGiven(attribute)),
  ];
}

function line(name: string, attribute: Attribute, path: string): string {
  const traits = [
    typeText(attribute),
    ...(attribute.sensitive ? ['Sensitive'] : []),
    ...(attribute.writeOnly ? ['Write-only'] : []),
  ].join(', ');
  const sentences = [
    attribute.description.trim(),
    ...(attribute.replace ? ['Changing it replaces the record.'] : []),
    ...('nested' in attribute ? [`See [below](#${anchor(path, name)}).`] : []),
  ];
  return `- \`${name}\` (${traits}) ${sentences.join(' ')}`;
}

const NAMES = { string: 'String', number: 'Number', bool: 'Boolean' };
const COLLECTIONS = { list: 'List of', set: 'Set of', map: 'Map of' };
const NESTINGS = {
  single: 'Attributes',
  list: 'List of Attributes',
  set: 'Set of Attributes',
  map: 'Map of Attributes',
};

function typeText(attribute: Attribute): string {
  return 'nested' in attribute ? NESTINGS[attribute.nested] : typeName(attribute.type);
}

function typeName(type: Type): string {
  if (typeof type === 'string') return NAMES[type];
  const [kind, item] = Object.entries(type)[0] as [keyof typeof COLLECTIONS, Type];
  return `${COLLECTIONS[kind]} ${typeName(item)}`;
}

function anchor(path: string, name: string): string {
  return `nested-${[path, name]
    .filter((part) => part !== '')
    .join('-')
    .replaceAll('_', '-')}`;
}

function nestedSections(attributes: Attributes, path: string): string[] {
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    if (!('nested' in attribute)) return [];
    const here = path === '' ? name : `${path}-${name}`;
    const title = here.replaceAll('-', '.');
    return [
      `<a id="${anchor(path, name)}"></a>`,
      `### Nested: \`${title}\``,
      ...groups(attribute.attributes, '####', here),
      ...nestedSections(attribute.attributes, here),
    ];
  });
}
