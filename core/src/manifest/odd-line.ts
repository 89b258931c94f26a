/** A line, from 0, and its indentation. */
interface Line {
  number: number;
  indent: number;
}

/**
 * The line with the wrong indentation, where the parser has met a line that does not fit those above it. In most cases
 * that line is wrong itself. It is the first line of its mapping or list instead if that one alone is indented as it is,
 * and the later ones fit the indentation of the text, or if it stands beside the key that it belongs below. Returns the
 * offset of that first line; undefined if it is right.
 */
export function oddFirstLine(text: string, offset: number): number | undefined {
  const lines = text.split('\n');
  const indents = lines.map((line) => (/^\s*(?:#|$)/.test(line) ? undefined : /^ */.exec(line)?.[0].length));
  const number = text.slice(0, offset).split('\n').length - 1;
  const met = { number, indent: indents[number] ?? 0 };
  const above = before(indents, met.number, () => true);
  if (above === undefined) return undefined;
  const offsetOf = (at: number): number =>
    lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0) + (indents[at] ?? 0);
  const key = before(indents, above.number, () => true);
  const isSplit = key !== undefined && key.indent === above.indent && /:\s*(?:#.*)?$/.test(lines[key.number] ?? '');
  if (isSplit && met.indent > above.indent) return offsetOf(above.number);
  const parent = before(indents, met.number, (indent) => indent < Math.min(met.indent, above.indent));
  const first = parent && indents.findIndex((indent, at) => at > parent.number && indent !== undefined);
  if (parent === undefined || first === undefined) return undefined;
  const firstIndent = indents[first] ?? 0;
  const alone = indents.slice(first + 1, met.number).every((indent) => indent === undefined || indent > firstIndent);
  if (first >= met.number || firstIndent === met.indent || !alone) return undefined;
  const unit = indents.find((indent) => indent !== undefined && indent > 0);
  const fits = (indent: number): boolean => indent - parent.indent === unit;
  if (fits(firstIndent) || (!fits(met.indent) && !hasNeighbour(indents, met))) return undefined;
  return offsetOf(first);
}

/** The nearest line above a line whose indentation is as wanted. */
function before(
  indents: readonly (number | undefined)[],
  from: number,
  wanted: (indent: number) => boolean,
): Line | undefined {
  for (let number = from - 1; number >= 0; number--) {
    const indent = indents[number];
    if (indent !== undefined && wanted(indent)) return { number, indent };
  }
  return undefined;
}

/** Whether a line of the same mapping or list follows with the same indentation. */
function hasNeighbour(indents: readonly (number | undefined)[], { number, indent: own }: Line): boolean {
  const next = indents.slice(number + 1).find((indent) => indent !== undefined && indent <= own);
  return next === own;
}
