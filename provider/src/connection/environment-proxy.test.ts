import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { environmentProxy } from './environment-proxy.js';

beforeEach(() => {
  for (const name of ['https_proxy', 'http_proxy', 'all_proxy', 'no_proxy']) {
    vi.stubEnv(name, '');
    vi.stubEnv(name.toUpperCase(), '');
  }
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const CLOUD = 'https://cloud.example.com';

describe('the proxy of the environment', () => {
  it.each<[string, string, string, string | undefined]>([
    ['with a scheme', 'http://proxy.example.com:3128', CLOUD, 'http://proxy.example.com:3128/'],
    ['without a scheme', 'proxy.example.com:3128', CLOUD, 'http://proxy.example.com:3128/'],
    ['with user and password', 'http://cli:pa%20ss@proxy.example.com', CLOUD, 'http://cli:pa%20ss@proxy.example.com/'],
    ['for this machine', 'http://proxy.example.com:3128', 'https://localhost:8443', undefined],
    ['for what is no address', 'http://proxy.example.com:3128', 'cloud', undefined],
    ['that is empty', '', CLOUD, undefined],
  ])('is read %s', (_, given, address, expected) => {
    vi.stubEnv('HTTPS_PROXY', given);
    expect(environmentProxy(address)).toBe(expected);
  });

  it.each([
    [
      'socks5://proxy.example.com',
      /^HTTPS_PROXY or ALL_PROXY: "socks5:\/\/proxy.example.com" is no address of a proxy/,
    ],
    ['https://proxy.example.com', /^HTTPS_PROXY or ALL_PROXY: "https:\/\/proxy.example.com" is no address of a proxy/],
    ['socks5://cli:hunter2@proxy.example.com', /^HTTPS_PROXY or ALL_PROXY: its value is no address of a proxy/],
  ])('is refused as %s, by the variable and without the password', (given, text) => {
    vi.stubEnv('HTTPS_PROXY', given);
    expect(() => environmentProxy(CLOUD)).toThrow(text);
    expect(() => environmentProxy(CLOUD)).not.toThrow(/hunter2/);
  });
});
