import { expect, it } from 'vitest';
import { configurationOrigin } from './configuration-origin.js';

const repository = 'https://github.com/acme/access';
const commit = 'abc1234567890abcdef1234567890abcdef12345';
const GITHUB = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'acme/access', GITHUB_SHA: commit };
const NEITHER = { repository: null, commit: null };

it.each([
  ['nothing', {}, {}, undefined],
  ['the block', { repository: 'https://u:secret@github.com/acme/access.git', commit }, {}, { repository, commit }],
  ['the block before a pipeline', { commit: 'fedcba9' }, GITHUB, { repository, commit: 'fedcba9' }],
  ['GitHub Actions', {}, GITHUB, { repository, commit }],
  [
    'GitLab',
    {},
    { CI_PROJECT_URL: 'https://gitlab.com/acme/access', CI_COMMIT_SHA: commit },
    { repository: 'https://gitlab.com/acme/access', commit },
  ],
  [
    'our own variables before those of GitHub',
    {},
    { ...GITHUB, SERVICE_REPOSITORY: 'git@git.acme.example:access.git', SERVICE_COMMIT: '1234567\n' },
    { repository: 'ssh://git.acme.example/access', commit: '1234567' },
  ],
  ['a pipeline that says something else', {}, { SERVICE_REPOSITORY: '/srv/access', SERVICE_COMMIT: 'main' }, undefined],
])('knows what %s says', (_, config, env, expected) => {
  expect(configurationOrigin({ ...NEITHER, ...config }, env)).toEqual(expected);
});

it.each([
  [{ repository: 'file:///home/u:secret@x' }, 'Invalid repository'],
  [{ commit: 'secret' }, 'Invalid commit'],
])('refuses %j without repeating it', (config, summary) => {
  const refused = (() => {
    try {
      return configurationOrigin({ ...NEITHER, ...config }, {});
    } catch (error) {
      return (error as { diagnostics: { summary: string; detail: string }[] }).diagnostics;
    }
  })();
  expect(refused).toMatchObject([{ summary }]);
  expect(JSON.stringify(refused)).not.toContain('secret');
});
