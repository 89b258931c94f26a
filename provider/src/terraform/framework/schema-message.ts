import { type AttributeMessage, NESTING, type SchemaMessage, STRING_KIND } from '../protocol/messages.js';
import type { Attribute, Attributes, Schema, Type } from './schema.js';

/** A schema in the protocol's form. */
export function schemaMessage(schema: Schema): SchemaMessage {
  return {
    version: schema.version,
    block: {
      version: schema.version,
      description: schema.description,
      description_kind: STRING_KIND.markdown,
      attributes: attributeMessages(schema.attributes),
    },
  };
}

function attributeMessages(attributes: Attributes): AttributeMessage[] {
  return Object.entries(attributes).map(([name, attribute]) => attributeMessage(name, attribute));
}

function attributeMessage(name: string, attribute: Attribute): AttributeMessage {
  const { required = false, sensitive = false, writeOnly = false } = attribute;
  return {
    name,
    description: attribute.description,
    description_kind: STRING_KIND.markdown,
    required,
    optional: attribute.optional === true || attribute.default !== undefined,
    computed: attribute.computed === true || attribute.default !== undefined,
    sensitive,
    write_only: writeOnly,
    ...('type' in attribute
      ? { type: Buffer.from(JSON.stringify(typeConstraint(attribute.type))) }
      : { nested_type: { nesting: NESTING[attribute.nested], attributes: attributeMessages(attribute.attributes) } }),
  };
}

/** `{ set: 'string' }` is `["set","string"]` in the protocol's JSON. */
function typeConstraint(type: Type): unknown {
  if (typeof type === 'string') return type;
  const [kind, item] = Object.entries(type)[0] as [string, Type];
  return [kind, typeConstraint(item)];
}
