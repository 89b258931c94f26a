import type { ByteSource } from './types.js';

const LINE_FEED = 0x0a;
/** `]` */
const CLOSE = 0x5d;
/** Parsed in half a millisecond. */
const SLICE_BYTES = 1 << 15;
const LIST_END = '\n]}\n';

/** A tenant in the text, with nothing checked yet; its records come in slices. */
export interface RawTenant {
  head: unknown;
  slices: Iterable<unknown>;
}

export interface RawBundle {
  head: unknown;
  tenants: Iterable<RawTenant>;
}

/**
 * Reads `bundle.json` in slices of lines as `encodeBundle` writes them, so that the whole text is never one string; any
 * other JSON text is parsed whole. `tenants` and `slices` must be iterated in order. Throws `SyntaxError` if the text
 * is not JSON.
 */
export function readSlices(bytes: ByteSource): RawBundle {
  const end = lineEnd(bytes, 0);
  if (end < 0 || !text(bytes, 0, end).endsWith('"tenants":[')) return readWhole(bytes);
  return { head: JSON.parse(`${text(bytes, 0, end)}]}`), tenants: readTenants(bytes, end + 1) };
}

/**
 * Reads an object whose last member is a list, in slices of lines as `packDelta` writes them, and nothing else. Throws
 * `SyntaxError`.
 */
export function readList(bytes: ByteSource, member: string): { head: unknown; slices: Iterable<unknown[]> } {
  const headEnd = lineEnd(bytes, 0);
  const head = headEnd < 0 ? '' : text(bytes, 0, headEnd);
  const end = bytes.length - LIST_END.length;
  if (!head.endsWith(`"${member}":[`) || end < headEnd || text(bytes, end, bytes.length) !== LIST_END) {
    throw new SyntaxError('The text does not begin and end as a list.');
  }
  return { head: JSON.parse(`${head}]}`), slices: readOnlyRecords(bytes, headEnd + 1, end) };
}

function* readOnlyRecords(bytes: ByteSource, start: number, end: number): Generator<unknown[], void> {
  if ((yield* readRecords(bytes, start)) !== end) throw new SyntaxError('The text goes on after its list.');
}

function* readTenants(bytes: ByteSource, start: number): Generator<RawTenant> {
  let position = start;
  while (text(bytes, position, position + 1) !== ']') {
    const headEnd = lineEnd(bytes, position);
    if (headEnd < 0) throw new SyntaxError('The text ends in the middle of a tenant.');
    let recordsEnd = 0;
    const slices = function* () {
      recordsEnd = yield* readRecords(bytes, headEnd + 1);
    };
    yield { head: JSON.parse(`${text(bytes, position, headEnd)}]}`), slices: slices() };
    const tail = text(bytes, recordsEnd + 1, recordsEnd + 5);
    if (!tail.startsWith(']},\n') && !tail.startsWith(']}\n]')) throw new SyntaxError('A tenant is not closed.');
    position = recordsEnd + (tail[2] === ',' ? 5 : 4);
  }
  const tail = text(bytes, position, bytes.length);
  if (tail.trimEnd() !== ']}') throw new SyntaxError('The text goes on after its end.');
}

/** Returns the place of the line feed after which the list ends. No string in JSON contains a raw line feed. */
function* readRecords(bytes: ByteSource, start: number): Generator<unknown[], number> {
  for (let position = start; ; ) {
    // From the line feed before the first record on, so that an empty list shows its end, too.
    let slice = bytes.subarray(position - 1, position + SLICE_BYTES);
    const closed = slice.indexOf('\n]');
    let end = closed < 0 ? slice.lastIndexOf(LINE_FEED, -2) : closed;
    if (closed < 0 && end < 1) {
      // One record that is longer than a slice.
      const far = lineEnd(bytes, position);
      if (far < 0 || far + 1 === bytes.length) throw new SyntaxError('The text ends in the middle of the records.');
      slice = bytes.subarray(position - 1, far + 2);
      end = far - position + 1;
    }
    const last = slice[end + 1] === CLOSE;
    if (end > 1) {
      const lines = slice.toString('utf8', 1, end);
      if (!last && !lines.endsWith(',')) throw new SyntaxError('Two records stand side by side without a comma.');
      yield JSON.parse(`[${last ? lines : lines.slice(0, -1)}]`);
    }
    if (last) return position - 1 + end;
    position += end;
  }
}

/** Returns the end of the line; -1 if it does not end. */
function lineEnd(bytes: ByteSource, start: number): number {
  for (let from = start; from < bytes.length; from += SLICE_BYTES) {
    const at = bytes.subarray(from, from + SLICE_BYTES).indexOf(LINE_FEED);
    if (at >= 0) return from + at;
  }
  return -1;
}

function text(bytes: ByteSource, start: number, end: number): string {
  return bytes.subarray(start, end).toString();
}

function readWhole(bytes: ByteSource): RawBundle {
  const whole: unknown = JSON.parse(text(bytes, 0, bytes.length));
  const tenants = (whole as { tenants?: unknown } | null)?.tenants;
  if (!Array.isArray(tenants)) return { head: whole, tenants: [] };
  return {
    head: { ...(whole as object), tenants: [] },
    tenants: tenants.map((tenant: unknown) => ({ head: tenant, slices: [(tenant as { records?: unknown })?.records] })),
  };
}
