import ipaddr from 'ipaddr.js';
import type { IpRange } from '../../../values/ip-range.js';

/**
 * Addresses that stand for all of both families: the first of each range, and the first after it. Each is written in
 * `each` ways that none of `taken` is.
 */
export function addressesFor(ranges: readonly IpRange[], each: number, taken: ReadonlySet<string>): string[][] {
  const starts = { ipv4: new Set<bigint>([0n]), ipv6: new Set<bigint>([0n]) };
  for (const [base, bits] of ranges) {
    const kind = base.kind();
    const width = kind === 'ipv4' ? 32 : 128;
    const size = 1n << BigInt(width - bits);
    const first = (numberOf(base.toByteArray()) / size) * size;
    starts[kind].add(first);
    if (first + size < 1n << BigInt(width)) starts[kind].add(first + size);
  }
  if (ranges.length === 0) return [];
  const found: string[][] = [];
  for (const number of starts.ipv4) found.push(fresh(ipv4Texts(number), each, taken));
  // What begins with ::ffff: is an IPv4 address.
  for (const number of starts.ipv6) if (number >> 32n !== 0xffffn) found.push(fresh(ipv6Texts(number), each, taken));
  return found;
}

function numberOf(bytes: readonly number[]): bigint {
  return bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
}

function bytesOf(number: bigint, length: number): number[] {
  return Array.from({ length }, (_, at) => Number((number >> BigInt((length - 1 - at) * 8)) & 255n));
}

function ipv4Texts(number: bigint): string[] {
  const address = new ipaddr.IPv4(bytesOf(number, 4));
  const mapped = address.toIPv4MappedAddress();
  return [
    address.toString(),
    `::ffff:${address.toString()}`,
    mapped.toNormalizedString(),
    `::FFFF:${address.toString()}`,
  ];
}

function ipv6Texts(number: bigint): string[] {
  const address = new ipaddr.IPv6(bytesOf(number, 16));
  const texts = [address.toString(), address.toNormalizedString()];
  return [...new Set([...texts, ...texts.map((text) => text.toUpperCase())])];
}

function fresh(texts: readonly string[], each: number, taken: ReadonlySet<string>): string[] {
  return texts.filter((text) => !taken.has(text)).slice(0, each);
}
