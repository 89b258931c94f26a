import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { proxyAgents } from './proxy.js';

const PROXY = 'http://agent:hunter2@proxy.example.com:3128';

beforeEach(() => {
  for (const name of ['https_proxy', 'http_proxy', 'all_proxy', 'no_proxy']) {
    vi.stubEnv(name, '');
    vi.stubEnv(name.toUpperCase(), '');
  }
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const name = (url: string) => proxyAgents(new URL(url))?.name;

describe('the proxy of the environment', () => {
  it('is none unless it is named', () => {
    expect(name('https://cloud.example.com')).toBeUndefined();
  });

  it('is that of the scheme, and is shown without password', () => {
    vi.stubEnv('HTTPS_PROXY', PROXY);
    vi.stubEnv('http_proxy', 'http://plain.example.com:8080');
    expect(name('https://cloud.example.com')).toBe('http://proxy.example.com:3128');
    expect(name('http://cloud.example.com')).toBe('http://plain.example.com:8080');
  });

  it.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])('is an http address in %s if it has no scheme', (variable) => {
    vi.stubEnv(variable, 'proxy.example.com:3128');
    expect(name('https://cloud.example.com')).toBe('http://proxy.example.com:3128');
  });

  it('may be reached by https', () => {
    vi.stubEnv('HTTPS_PROXY', 'https://proxy.example.com:3129');
    expect(name('https://cloud.example.com')).toBe('https://proxy.example.com:3129');
  });

  it.each(['http://localhost:8080', 'https://127.0.0.1:8443', 'https://127.1.2.3', 'http://[::1]:8080'])(
    'is none for %s',
    (url) => {
      vi.stubEnv('ALL_PROXY', PROXY);
      expect(name(url)).toBeUndefined();
    },
  );

  it.each([
    ['cloud.example.com', undefined],
    ['.example.com', undefined],
    ['*', undefined],
    ['other.example.com, cloud.example.com:8443', 'http://proxy.example.com:3128'],
    ['other.example.com,cloud.example.com:443', undefined],
  ])('heeds NO_PROXY=%s', (noProxy, expected) => {
    vi.stubEnv('HTTPS_PROXY', PROXY);
    vi.stubEnv('NO_PROXY', noProxy);
    expect(name('https://cloud.example.com')).toBe(expected);
  });

  it.each([
    ['socks5://proxy.example.com', /HTTPS_PROXY or ALL_PROXY: "socks5:\/\/proxy.example.com" is no address of a proxy/],
    ['socks5://agent:hunter2@proxy.example.com', /HTTPS_PROXY or ALL_PROXY: its value is no address of a proxy/],
    ['http://agent:hunter2%zz@proxy.example.com', /HTTPS_PROXY or ALL_PROXY: its value is no address of a proxy/],
  ])('is refused as %s, with no password', (given, text) => {
    vi.stubEnv('HTTPS_PROXY', given);
    expect(() => name('https://cloud.example.com')).toThrow(text);
    expect(() => name('https://cloud.example.com')).not.toThrow(/hunter2/);
  });
});
