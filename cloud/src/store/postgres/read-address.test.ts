import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addressText } from './postgres-address.js';
import { readAddress } from './read-address.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'authz-address-'));
  writeFileSync(join(dir, 'ca.pem'), 'a certificate');
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const FAR = { host: 'db.example.com', port: 5432, database: 'authz', user: 'cloud', sslMode: 'verify-full' };
const NEAR = { ...FAR, host: '127.0.0.1', sslMode: 'disable' };

it.each([
  ['to another machine, encrypted and verified', 'postgres://cloud@db.example.com/authz', FAR],
  ['by its other scheme, with a port', 'postgresql://cloud@db.example.com:6432/authz', { ...FAR, port: 6432 }],
  ['within the machine', 'postgres://cloud@127.0.0.1/authz', NEAR],
  ['of IPv6', 'postgres://cloud@[::1]:1/authz', { ...NEAR, host: '::1', port: 1 }],
  ['of a socket', 'postgres://cloud@localhost/authz?host=/run/postgresql', { ...NEAR, host: '/run/postgresql' }],
  ['without verification', 'postgres://cloud@db.example.com/authz?sslmode=require', { ...FAR, sslMode: 'require' }],
  ['with names that need escapes', 'postgres://a%40b@127.0.0.1/a%20b', { ...NEAR, user: 'a@b', database: 'a b' }],
])('reads an address %s', (_, text, address) => {
  expect(readAddress(text)).toEqual(address);
});

it('reads certificates from their files, and shows the address without its password', () => {
  const address = readAddress(`postgres://cloud:p%25ss@db.example.com/authz?sslrootcert=${join(dir, 'ca.pem')}`);
  expect(address).toMatchObject({ ...FAR, ca: 'a certificate' });
  expect(address.password?.reveal()).toBe('p%ss');
  expect(addressText(address)).toBe('postgres://cloud@db.example.com:5432/authz');
});

it.each([
  ['another scheme', 'mysql://cloud:hunter2@host/authz', 'is not a URL like "postgres://'],
  ['no URL', 'host=db password=hunter2', 'is not a URL like "postgres://'],
  ['a raw character', 'postgres://cloud:hunter2#@host/authz', 'is not a URL like "postgres://'],
  ['no host', 'postgres:///authz', 'names no host'],
  ['no database', 'postgres://cloud:hunter2@host', 'names no database'],
  ['no user', 'postgres://host/authz', 'names no user'],
  [
    'an unknown parameter',
    'postgres://cloud:hunter2@host/authz?pool=5',
    'has the parameter "pool", which is not known',
  ],
  ['an unknown sslmode', 'postgres://cloud:hunter2@host/authz?sslmode=prefer', 'has sslmode "prefer": use one of'],
  ['a missing file', 'postgres://cloud:hunter2@host/authz?sslrootcert=/nothing', 'names "/nothing" as sslrootcert'],
  ['a certificate for nothing', 'postgres://cloud@localhost/authz?sslrootcert=/dev/null', 'are not encrypted'],
  ['half a client certificate', 'postgres://cloud@host/authz?sslcert=/dev/null', 'has only one of sslcert and sslkey'],
  ['a malformed escape', 'postgres://cloud:hunter2%@host/authz', 'has a malformed percent escape in its password'],
])('refuses %s, and does not repeat the address', (_, text, fault) => {
  expect(() => readAddress(text)).toThrow(fault);
  expect(() => readAddress(text)).not.toThrow('hunter2');
});
