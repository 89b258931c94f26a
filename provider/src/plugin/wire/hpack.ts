/** Header compression for HTTP/2 (RFC 7541): decoding whole, encoding as much of it as needs no state. */
import { huffmanDecode } from './huffman.js';

export type Header = readonly [name: string, value: string];

/** Appendix A: fields that both ends know, from index 1. */
const STATIC_TABLE: readonly Header[] = [
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  ...['200', '204', '206', '304', '400', '404', '500'].map((status): Header => [':status', status]),
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ...(
    'accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control ' +
    'content-disposition content-encoding content-language content-length content-location content-range ' +
    'content-type cookie date etag expect expires from host if-match if-modified-since if-none-match if-range ' +
    'if-unmodified-since last-modified link location max-forwards proxy-authenticate proxy-authorization range ' +
    'referer refresh retry-after server set-cookie strict-transport-security transfer-encoding user-agent vary via ' +
    'www-authenticate'
  )
    .split(' ')
    .map((name): Header => [name, '']),
];

/** What a decoder remembers at most, in octets as section 4.1 counts them; the default of HTTP/2. */
const TABLE_SIZE_MAX = 4096;
const ENTRY_OVERHEAD = 32;
const KNOWN_MAX = 64;

/** Decodes the header blocks of one connection, in their order. */
export class HeaderDecoder {
  /** The newest field first. */
  private readonly dynamic: Header[] = [];
  private size = 0;
  private sizeMax = TABLE_SIZE_MAX;
  /** What blocks have meant since the table changed last: most calls differ in nothing but their path. */
  private readonly known = new Map<string, readonly Header[]>();
  private changes = 0;

  /** Throws on what is no header block, after which the connection is of no use. */
  decode(block: Buffer): readonly Header[] {
    const text = block.toString('latin1');
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const { changes } = this;
    const headers = this.read(block);
    // One that changes the table means something else when it comes again.
    if (this.changes === changes && this.known.size < KNOWN_MAX) this.known.set(text, headers);
    return headers;
  }

  private read(block: Uint8Array): readonly Header[] {
    const source = new Source(block);
    const headers: Header[] = [];
    while (!source.done) {
      const first = source.peek();
      if (first >= 0x80) headers.push(this.at(source.integer(7)));
      else if (first >= 0x40) headers.push(this.remember(this.literal(source, 6)));
      else if (first >= 0x20) this.resize(source.integer(5));
      else headers.push(this.literal(source, 4));
    }
    return headers;
  }

  private literal(source: Source, prefixBits: number): Header {
    const index = source.integer(prefixBits);
    const name = index === 0 ? source.text() : this.at(index)[0];
    return [name, source.text()];
  }

  private at(index: number): Header {
    const header =
      index > STATIC_TABLE.length ? this.dynamic[index - STATIC_TABLE.length - 1] : STATIC_TABLE[index - 1];
    if (header === undefined) throw new Error(`no header field has the index ${index}`);
    return header;
  }

  private remember(header: Header): Header {
    this.dynamic.unshift(header);
    this.size += sizeOf(header);
    this.change();
    return header;
  }

  private resize(size: number): void {
    if (size > TABLE_SIZE_MAX) throw new Error(`a header table of ${size} octets was not agreed on`);
    this.sizeMax = size;
    this.change();
  }

  private change(): void {
    this.changes += 1;
    this.known.clear();
    while (this.size > this.sizeMax) {
      const oldest = this.dynamic.pop();
      if (oldest === undefined) return;
      this.size -= sizeOf(oldest);
    }
  }
}

/** A header block that neither uses nor changes what the other end remembers. Names and values are ASCII. */
export function encodeHeaders(headers: readonly Header[]): Buffer {
  return Buffer.concat(
    headers.flatMap(([name, value]) => [Buffer.of(0), octets(Buffer.from(name)), octets(Buffer.from(value))]),
  );
}

function octets(text: Buffer): Buffer {
  return Buffer.concat([encodeInteger(text.length), text]);
}

/** An integer with a prefix of seven bits (section 5.1). */
function encodeInteger(value: number): Buffer {
  if (value < 0x7f) return Buffer.of(value);
  const bytes = [0x7f];
  let rest = value - 0x7f;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.of(...bytes, rest);
}

function sizeOf([name, value]: Header): number {
  return name.length + value.length + ENTRY_OVERHEAD;
}

/** A header block as it is read. */
class Source {
  private at = 0;

  constructor(private readonly block: Uint8Array) {}

  get done(): boolean {
    return this.at >= this.block.length;
  }

  peek(): number {
    const byte = this.block[this.at];
    if (byte === undefined) throw new Error('a header block is cut off');
    return byte;
  }

  /** An integer whose first bits share an octet with something else (section 5.1). */
  integer(prefixBits: number): number {
    const mask = (1 << prefixBits) - 1;
    let value = this.next() & mask;
    if (value < mask) return value;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.next();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new Error('an integer in a header block is too large');
  }

  /** A string, one character for each octet (section 5.2). */
  text(): string {
    const coded = this.peek() >= 0x80;
    const length = this.integer(7);
    const start = this.at;
    if (start + length > this.block.length) throw new Error('a header block is cut off');
    this.at += length;
    const bytes = this.block.subarray(start, this.at);
    return Buffer.from(coded ? huffmanDecode(bytes) : bytes).toString('latin1');
  }

  private next(): number {
    const byte = this.peek();
    this.at += 1;
    return byte;
  }
}
