import { describe, expect, it } from 'vitest';
import { pipelineProvenance } from './pipeline-provenance.js';
import { type Provenance, provenanceSchema } from './provenance.js';
import { provenanceText } from './provenance-text.js';

describe('a provenance', () => {
  it.each<[Provenance, string]>([
    [
      { author: 'ann', pull_request: 214, approved_by: ['bob', 'eve'] },
      'pull request 214 by ann, approved by bob and eve',
    ],
    [{ author: 'ann', approved_by: ['bob', 'eve', 'dan'] }, 'by ann, approved by bob, eve and dan'],
    [{ pull_request: 214 }, 'pull request 214'],
    [{ approved_by: ['bob'] }, 'approved by bob'],
    [{ pipeline: 'https://github.com/acme/access/actions/runs/1' }, ''],
  ])('%j reads as expected', (provenance, text) => {
    expect(provenanceSchema.parse(provenance)).toEqual(provenance);
    expect(provenanceText(provenance)).toBe(text);
  });

  it.each<object>([
    { author: '' },
    { author: 'a\nb' },
    { author: ' ann' },
    { author: '\u202Eann' },
    { author: 'a'.repeat(129) },
    { pull_request: 0 },
    { pull_request: 1.5 },
    { approved_by: [] },
    { approved_by: Array.from({ length: 51 }, (_, at) => `p${at}`) },
    { pipeline: 'http://ci.acme.example/1' },
    { pipeline: 'https://user:token@ci.acme.example/1' },
    { pipeline: 'https://ci.acme.example/1?token=secret' },
    { pipeline: 'javascript://ci.acme.example/1' },
    { other: 1 },
  ])('is refused with %j, and the fault does not repeat a secret', (provenance) => {
    const { error } = provenanceSchema.safeParse(provenance);
    expect(error?.issues.map(({ message }) => message).join()).not.toMatch(/^$|token/);
  });
});

describe('the provenance that a pipeline knows', () => {
  const github = {
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/access',
    GITHUB_RUN_ID: '77',
  };
  const pipeline = 'https://github.com/acme/access/actions/runs/77';
  const pushed = (message: string) => ({ head_commit: { message, author: { name: 'Ann Lee', username: 'ann' } } });
  const gitlab = { GITLAB_CI: 'true', CI_PIPELINE_URL: 'https://gitlab.com/acme/access/-/pipelines/5' };

  it.each<[string, Record<string, string>, unknown, Provenance]>([
    [
      'a merge',
      github,
      pushed('Merge pull request #214 from acme/x\n\nText'),
      { author: 'ann', pull_request: 214, pipeline },
    ],
    [
      'a squashed merge',
      github,
      pushed('Give bob access (#214)\n\n(#3)'),
      { author: 'ann', pull_request: 214, pipeline },
    ],
    ['a push', github, pushed('Fix #3, see (#4) and more'), { author: 'ann', pipeline }],
    [
      'a pull request',
      github,
      { pull_request: { number: 9, user: { login: 'eve' } } },
      { author: 'eve', pull_request: 9, pipeline },
    ],
    ['an event that is none', github, 'text', { pipeline }],
    [
      'no event',
      { ...github, SERVICE_APPROVED_BY: ' bob, eve ,,' },
      undefined,
      { pipeline, approved_by: ['bob', 'eve'] },
    ],
    [
      'a merge at GitLab',
      {
        ...gitlab,
        CI_COMMIT_AUTHOR: 'Ann Lee <ann@acme.example>',
        CI_COMMIT_MESSAGE: 'Merge\n\nSee merge request acme/access!31',
      },
      undefined,
      { author: 'Ann Lee', pull_request: 31, pipeline: gitlab.CI_PIPELINE_URL },
    ],
    [
      'a merge request at GitLab',
      { ...gitlab, CI_MERGE_REQUEST_IID: '8' },
      undefined,
      { pull_request: 8, pipeline: gitlab.CI_PIPELINE_URL },
    ],
    ['a machine that is no pipeline', { SERVICE_APPROVED_BY: 'bob' }, undefined, { approved_by: ['bob'] }],
    ['nothing', {}, undefined, {}],
    [
      'one approver that nobody can read',
      { SERVICE_APPROVED_BY: 'bob,\u202Eeve,dan' },
      undefined,
      { approved_by: ['bob', 'dan'] },
    ],
    [
      'what nobody takes',
      { GITLAB_CI: 'true', CI_PIPELINE_URL: 'https://t:secret@x/1', CI_MERGE_REQUEST_IID: 'x' },
      undefined,
      {},
    ],
  ])('of %s', (_of, env, event, expected) => {
    expect(pipelineProvenance(env, event)).toEqual(expected);
  });
});
