import type { IncomingMessage } from 'node:http';
import { type IpRange, parseIpRange } from '@authz-service/core/values/ip-range';
import { describe, expect, it } from 'vitest';
import { ClientAddresses, networkOf } from './client-addresses.js';

const trusting = (...ranges: string[]) => new ClientAddresses(ranges.map((text) => parseIpRange(text) as IpRange));
const request = (remoteAddress: string | undefined, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('the address of a caller', () => {
  it.each<[string, string[], string | undefined, string | undefined, string]>([
    ['is that of the peer', [], '192.0.2.1', undefined, '192.0.2.1'],
    ['is that of the peer, whatever it says, while no proxy is trusted', [], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['is what a trusted proxy says', ['192.0.2.1'], '192.0.2.1', '198.51.100.7', '198.51.100.7'],
    ['is that of a peer outside of the trusted range', ['192.0.2.0/30'], '192.0.2.9', '198.51.100.7', '192.0.2.9'],
    ['is not what the caller put before', ['192.0.2.1'], '192.0.2.1', '10.9.9.9, 198.51.100.7', '198.51.100.7'],
    ['is read through several proxies', ['10.0.0.0/8'], '10.0.0.1', '198.51.100.7,10.0.0.2', '198.51.100.7'],
    ['is the farthest proxy where all are trusted', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['is the proxy where it says nothing', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
    ['is the proxy where it says no address', ['10.0.0.1'], '10.0.0.1', '198.51.100.7, unknown', '10.0.0.1'],
    ['is read from IPv4 mapped into IPv6', ['10.0.0.1'], '::ffff:10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
    ['is no IPv4 address that is only embedded', ['10.0.0.1'], '::10.0.0.1', '198.51.100.7', '::a00:1'],
    ['is read through a proxy of the same link', ['fe80::/10'], 'fe80::1%eth0', '2001:db8::1', '2001:db8::1'],
    ['is an IPv6 address', [], '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2:3:4:5:6'],
    ['is read through an IPv6 proxy', ['fd00::/8', '10.0.0.1'], 'fd00::7', '2001:db8::1', '2001:db8::1'],
    ['is unknown once the connection is gone', [], undefined, undefined, 'unknown'],
  ])('%s', (_, trusted, peer, forwarded, address) => {
    expect(trusting(...trusted).of(request(peer, forwarded))).toBe(address);
  });
});

describe('the network of a caller', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '::ffff:198.51.100.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('a range', () => {
  it.each([
    '',
    'localhost',
    'loopback',
    '10.0.0',
    '0x7f.1',
    '10.0.0.1/33',
    '10.0.0.1/',
    '10.0.0.1/8/8',
    '::/129',
    '10.0.0.1/-1',
  ])('is not "%s"', (text) => {
    expect(parseIpRange(text)).toBeUndefined();
  });
});
