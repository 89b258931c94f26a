import { describe, expect, it } from 'vitest';
import { originLink, originText } from './origin-text.js';
import { publicRepository } from './public-repository.js';
import { type RecordOrigin, recordOriginSchema } from './record-origin.js';

describe('the public form of a remote', () => {
  it.each([
    ['https://github.com/acme/access.git', 'https://github.com/acme/access'],
    ['https://user:token@github.com/acme/access.git', 'https://github.com/acme/access'],
    ['https://x-access-token:ghs_secret@github.com/acme/access', 'https://github.com/acme/access'],
    ['https://git.acme.example:8443/a/b/?private_token=secret#x', 'https://git.acme.example:8443/a/b'],
    ['git@github.com:acme/access.git', 'https://github.com/acme/access'],
    ['ssh://git@gitlab.com/acme/access.git', 'https://gitlab.com/acme/access'],
    ['deploy@git.acme.example:teams/access.git', 'ssh://git.acme.example/teams/access'],
    ['ssh://deploy:secret@git.acme.example:2222/access.git', 'ssh://git.acme.example:2222/access'],
    ['/srv/git/access.git', undefined],
    ['../access', undefined],
    ['file:///srv/git/access.git', undefined],
    ['C:\\repositories\\access', undefined],
    ['https://github.com', undefined],
    ['ext::sh -c secret', undefined],
    ['', undefined],
  ])('%s is %s', (remote, expected) => {
    expect(publicRepository(remote)).toBe(expected);
    if (expected !== undefined) expect(publicRepository(expected)).toBe(expected);
  });
});

describe('an origin', () => {
  const refused = (origin: object) => recordOriginSchema.safeParse(origin).error?.issues.map(({ message }) => message);

  it.each([
    { repository: 'https://user:token@github.com/acme/access' },
    { repository: 'https://token@github.com/acme/access' },
    { repository: 'https://github.com/acme/access?token=1' },
    { repository: 'javascript://github.com/%0aalert(1)' },
    { repository: `https://github.com/${'a'.repeat(1024)}` },
    { commit: 'main' },
    { path: '/etc/passwd' },
    { path: 'a/../b' },
    { path: 'a\nb' },
    { path: 'a\\b' },
    { path: '' },
    { path: 'a'.repeat(1025) },
    { line: 0 },
    { line: 1.5 },
    { uncommitted: false },
    { other: 1 },
  ])('is refused with %j, and the fault does not repeat it', (origin) => {
    const messages = refused(origin);
    expect(messages).not.toBeUndefined();
    expect(messages?.join()).not.toContain('token@');
  });

  const commit = 'abc1234567890abcdef1234567890abcdef12345';
  const full = { repository: 'https://github.com/acme/access', commit, path: 'tenant/a b.yaml', line: 14 };
  it.each<[RecordOrigin, string, string | undefined]>([
    [
      full,
      'acme/access at tenant/a b.yaml:14, commit abc1234567',
      `https://github.com/acme/access/blob/${commit}/tenant/a%20b.yaml#L14`,
    ],
    [
      { ...full, repository: 'https://gitlab.acme.example/t/access' },
      't/access at tenant/a b.yaml:14, commit abc1234567',
      `https://gitlab.acme.example/t/access/-/blob/${commit}/tenant/a%20b.yaml#L14`,
    ],
    [
      { repository: full.repository, commit },
      'acme/access, commit abc1234567',
      `https://github.com/acme/access/commit/${commit}`,
    ],
    [
      { ...full, repository: 'https://git.acme.example/x' },
      'x at tenant/a b.yaml:14, commit abc1234567',
      'https://git.acme.example/x',
    ],
    [{ ...full, repository: 'ssh://git.acme.example/x' }, 'x at tenant/a b.yaml:14, commit abc1234567', undefined],
    [{ path: 'roles.yaml', line: 3, uncommitted: true }, 'roles.yaml:3, with uncommitted changes', undefined],
    [{ path: 'roles.yaml', line: 3 }, 'roles.yaml:3', undefined],
  ])('%j reads and links as expected', (origin, text, link) => {
    expect(recordOriginSchema.parse(origin)).toEqual(origin);
    expect(originText(origin)).toBe(text);
    expect(originLink(origin)).toBe(link);
  });
});
