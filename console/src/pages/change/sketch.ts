import type { FieldSchema } from './field-schema.js';

/** Sketches a value in JSON, in one line: every part that the schema names, with the example that its description gives. */
export function sketchOf(schema: FieldSchema): string {
  const { type, enum: choices, const: only, items, properties, additionalProperties, description } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (choices !== undefined) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  if (type === 'array') return `[${items === undefined ? '…' : sketchOf(items)}]`;
  if (properties !== undefined)
    return `{${Object.entries(properties)
      .filter(([name]) => !(name.endsWith('_id') && name.slice(0, -3) in properties))
      .map(([name, part]) => `${JSON.stringify(name)}: ${sketchOf(part)}`)
      .join(', ')}}`;
  if (type === 'object') return `{"…": ${additionalProperties ? sketchOf(additionalProperties) : '…'}}`;
  if (type === 'boolean') return 'true | false';
  if (type === 'string') return JSON.stringify(exampleIn(description) ?? '…');
  return '…';
}

/** The text in backticks after a colon: "The path of a group: `finance`." */
function exampleIn(description = ''): string | undefined {
  return /: `([^`]+)`/.exec(description)?.[1];
}
