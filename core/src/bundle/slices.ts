import type { Buffer } from 'node:buffer';

const LINE_FEED = 0x0a;
/** Parsed in half a millisecond. */
const SLICE_BYTES = 1 << 15;
const LIST_END = '\n]}\n';

/** A tenant as the text has it, nothing of it trusted; its records come in slices. */
export interface RawTenant {
  head: unknown;
  slices: Iterable<unknown>;
}

export interface RawBundle {
  head: unknown;
  tenants: Iterable<RawTenant>;
}

/**
 * Reads `bundle.json` by slices of lines as `encodeBundle` writes them, so that the whole text never is one string;
 * any other JSON text is parsed whole. `tenants` and `slices` must be walked in order. Throws `SyntaxError` on what is
 * no JSON.
 */
export function readSlices(bytes: Buffer): RawBundle {
  const end = bytes.indexOf(LINE_FEED);
  if (end < 0 || !bytes.subarray(0, end).toString().endsWith('"tenants":[')) return readWhole(bytes);
  return { head: JSON.parse(`${bytes.toString('utf8', 0, end)}]}`), tenants: readTenants(bytes, end + 1) };
}

/**
 * Reads an object whose last member is a list, by slices of lines as `packDelta` writes them, and nothing else. Throws
 * `SyntaxError`.
 */
export function readList(bytes: Buffer, member: string): { head: unknown; slices: Iterable<unknown[]> } {
  const headEnd = bytes.indexOf(LINE_FEED);
  const head = headEnd < 0 ? '' : bytes.toString('utf8', 0, headEnd);
  const end = bytes.length - LIST_END.length;
  if (!head.endsWith(`"${member}":[`) || end < headEnd || bytes.toString('utf8', end) !== LIST_END) {
    throw new SyntaxError('The text does not begin and end as a list.');
  }
  return { head: JSON.parse(`${head}]}`), slices: readRecords(bytes, headEnd + 1, end) };
}

function* readTenants(bytes: Buffer, start: number): Generator<RawTenant> {
  let position = start;
  while (bytes[position] !== 0x5d) {
    const headEnd = bytes.indexOf(LINE_FEED, position);
    if (headEnd < 0) throw new SyntaxError('The text ends in the middle of a tenant.');
    // No string in JSON holds a raw line feed, so this is the end of the tenant's records.
    const recordsEnd = bytes.indexOf('\n]', headEnd);
    if (recordsEnd < 0) throw new SyntaxError('The text ends in the middle of the records.');
    const head = JSON.parse(`${bytes.toString('utf8', position, headEnd)}]}`);
    yield { head, slices: readRecords(bytes, headEnd + 1, recordsEnd) };
    const tail = bytes.toString('utf8', recordsEnd + 1, recordsEnd + 5);
    if (!tail.startsWith(']},\n') && !tail.startsWith(']}\n]')) throw new SyntaxError('A tenant is not closed.');
    position = recordsEnd + (tail[2] === ',' ? 5 : 4);
  }
  const tail = bytes.toString('utf8', position);
  if (tail.trimEnd() !== ']}') throw new SyntaxError('The text goes on after its end.');
}

function* readRecords(bytes: Buffer, start: number, end: number): Generator<unknown[]> {
  let position = start;
  while (position < end) {
    let cut = position + SLICE_BYTES < end ? bytes.lastIndexOf(LINE_FEED, position + SLICE_BYTES) : end;
    if (cut <= position) cut = bytes.indexOf(LINE_FEED, position + SLICE_BYTES);
    const text = bytes.toString('utf8', position, cut);
    const last = cut >= end;
    if (!last && !text.endsWith(',')) throw new SyntaxError('Two records stand side by side without a comma.');
    yield JSON.parse(`[${last ? text : text.slice(0, -1)}]`);
    position = cut + 1;
  }
}

function readWhole(bytes: Buffer): RawBundle {
  const whole: unknown = JSON.parse(bytes.toString('utf8'));
  const tenants = (whole as { tenants?: unknown } | null)?.tenants;
  if (!Array.isArray(tenants)) return { head: whole, tenants: [] };
  return {
    head: { ...(whole as object), tenants: [] },
    tenants: tenants.map((tenant: unknown) => ({ head: tenant, slices: [(tenant as { records?: unknown })?.records] })),
  };
}
