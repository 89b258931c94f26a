/** The name of an attribute in generated constructs: `ip_ranges` becomes `ipRanges`. */
export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A value in which Terraform reads no text, and no key, as an expression: `${` and `%{` would start one. */
export function literal(value: unknown): unknown {
  if (typeof value === 'string') return literalText(value);
  if (Array.isArray(value)) return value.map(literal);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [literalText(name), literal(item)]));
}

function literalText(text: string): string {
  return text.replace(/[$%](?=\{)/g, '$&$&');
}
