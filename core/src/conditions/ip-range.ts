/** An address as numbers of 32 bits: one for IPv4, four for IPv6. */
type IpAddress = readonly number[];

/** A range of addresses of one family. */
export interface IpRange {
  readonly base: IpAddress;
  /** How many leading bits count. */
  readonly prefix: number;
}

/**
 * An IPv4 or IPv6 address (RFC 4291 section 2.2); undefined where the text is none. An IPv4 address mapped into IPv6
 * (`::ffff:10.0.0.1`) is the IPv4 address. Leading zeros in IPv4 are refused: some read them as octal.
 */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > 45) return undefined;
  if (!text.includes(':')) return parseIpv4(text);
  const words = parseIpv6(text);
  return words !== undefined && isMapped(words) ? words.slice(3) : words;
}

function isMapped(words: IpAddress): boolean {
  return words[0] === 0 && words[1] === 0 && words[2] === 0xffff;
}

function parseIpv4(text: string): IpAddress | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  let word = 0;
  for (const byte of match.slice(1)) {
    if (Number(byte) > 255 || (byte.length > 1 && byte.startsWith('0'))) return undefined;
    word = word * 256 + Number(byte);
  }
  return [word];
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = groups(halves[0] as string, halves.length === 1);
  const tail = halves.length === 2 ? groups(halves[1] as string, true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...head, ...new Array<number>(missing).fill(0), ...tail];
  return [0, 2, 4, 6].map((at) => (all[at] as number) * 0x10000 + (all[at + 1] as number));
}

/** The groups of one side of "::"; the last two may be written as an IPv4 address where the text ends. */
function groups(text: string, last: boolean): number[] | undefined {
  if (text === '') return [];
  const found: number[] = [];
  const parts = text.split(':');
  for (const [at, part] of parts.entries()) {
    if (part.includes('.')) {
      const word = last && at === parts.length - 1 ? parseIpv4(part)?.[0] : undefined;
      if (word === undefined) return undefined;
      found.push(Math.floor(word / 0x10000), word % 0x10000);
    } else {
      if (!/^[0-9A-Fa-f]{1,4}$/.test(part)) return undefined;
      found.push(Number.parseInt(part, 16));
    }
  }
  return found;
}

/** An address or CIDR range; undefined where the text is none. A range inside `::ffff:0:0/96` is one of IPv4. */
export function parseIpRange(text: string): IpRange | undefined {
  const slash = text.indexOf('/');
  const address = slash < 0 ? text : text.slice(0, slash);
  const words = address.includes(':') ? parseIpv6(address) : parseIpv4(address);
  if (words === undefined) return undefined;
  const bits = words.length * 32;
  const prefix = slash < 0 ? bits : /^\d{1,3}$/.test(text.slice(slash + 1)) ? Number(text.slice(slash + 1)) : bits + 1;
  if (prefix > bits) return undefined;
  return bits === 128 && isMapped(words) && prefix >= 96
    ? { base: words.slice(3), prefix: prefix - 96 }
    : { base: words, prefix };
}

export function inRange(address: IpAddress, { base, prefix }: IpRange): boolean {
  if (address.length !== base.length) return false;
  for (let at = 0, bits = prefix; bits > 0; at++, bits -= 32) {
    const mask = bits >= 32 ? -1 : ~(0xffffffff >>> bits);
    if ((((address[at] as number) ^ (base[at] as number)) & mask) !== 0) return false;
  }
  return true;
}
