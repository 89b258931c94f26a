import type { Buffer } from 'node:buffer';

const LINE_FEED = 0x0a;
/** `]` */
const CLOSE = 0x5d;
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
  return { head: JSON.parse(`${head}]}`), slices: readOnlyRecords(bytes, headEnd + 1, end) };
}

function* readOnlyRecords(bytes: Buffer, start: number, end: number): Generator<unknown[], void> {
  if ((yield* readRecords(bytes, start)) !== end) throw new SyntaxError('The text goes on after its list.');
}

function* readTenants(bytes: Buffer, start: number): Generator<RawTenant> {
  let position = start;
  while (bytes[position] !== CLOSE) {
    const headEnd = bytes.indexOf(LINE_FEED, position);
    if (headEnd < 0) throw new SyntaxError('The text ends in the middle of a tenant.');
    let recordsEnd = 0;
    const slices = function* () {
      recordsEnd = yield* readRecords(bytes, headEnd + 1);
    };
    yield { head: JSON.parse(`${bytes.toString('utf8', position, headEnd)}]}`), slices: slices() };
    const tail = bytes.toString('utf8', recordsEnd + 1, recordsEnd + 5);
    if (!tail.startsWith(']},\n') && !tail.startsWith(']}\n]')) throw new SyntaxError('A tenant is not closed.');
    position = recordsEnd + (tail[2] === ',' ? 5 : 4);
  }
  const tail = bytes.toString('utf8', position);
  if (tail.trimEnd() !== ']}') throw new SyntaxError('The text goes on after its end.');
}

/** Returns where the line feed stands after which the list is closed. No string in JSON holds a raw line feed. */
function* readRecords(bytes: Buffer, start: number): Generator<unknown[], number> {
  for (let position = start; ; ) {
    const slice = bytes.subarray(position - 1, position + SLICE_BYTES);
    const closed = slice.indexOf('\n]');
    let end = position - 1 + (closed < 0 ? slice.lastIndexOf(LINE_FEED) : closed);
    if (closed < 0 && end < position) end = bytes.indexOf(LINE_FEED, position);
    if (end < 0) throw new SyntaxError('The text ends in the middle of the records.');
    const last = bytes[end + 1] === CLOSE;
    if (end > position) {
      const text = bytes.toString('utf8', position, end);
      if (!last && !text.endsWith(',')) throw new SyntaxError('Two records stand side by side without a comma.');
      yield JSON.parse(`[${last ? text : text.slice(0, -1)}]`);
    }
    if (last) return end;
    position = end + 1;
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
