import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALICE_READS, billing, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
  await cloud.commit(admin, billing());
});

afterAll(() => cloud.close());

describe('a member that is given twice', () => {
  const question = JSON.stringify(ALICE_READS).slice(1, -1);
  it.each([
    ['POST /v1/authorize', `{${question},"subject":{"type":"user","id":"bob"}}`, '/subject'],
    ['POST /access/v1/evaluation', `{${question},"context":{"a":[{"mfa":true,"\\u006dfa":true}]}}`, '/context/a/0/mfa'],
    [
      'POST /access/v1/evaluations',
      `{${question},"evaluations":[{},{"options":1,"options":2}]}`,
      '/evaluations/1/options',
    ],
    ['POST /access/v1/search/subject', `{${question},"page":{"limit":1,"limit":1}}`, '/page/limit'],
    ['POST /v1/roles', '{"name":"r","description":"{","name":"s"}', '/name'],
    ['PATCH /v1/roles/billing%2Faccountant', '{"description":"a","descri\\u0070tion":null}', '/description'],
    [
      'POST /v1/changesets',
      '{"changes":[{"op":"create","kind":"role","fields":{"name":"r","name":"s"}}]}',
      '/changes/0/fields/name',
    ],
    ['POST /v1/api-keys', '{"name":"k","scopes":["bundle"],"scopes":["records:write"]}', '/scopes'],
    ['POST /v1/tenants', '{"name":"a","name":"b"}', '/name'],
  ])('is refused with its pointer at %s', async (request, body, pointer) => {
    const [method = '', path = ''] = request.split(' ');
    const { status, body: refusal } = await cloud.ask(method, path, { as: admin, body });
    expect({ status, code: refusal.code, errors: refusal.errors }).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ pointer }],
    });
  });

  it('is refused where a token is asked for', async () => {
    const body = '{"grant_type":"client_credentials","client_id":"a","client_id":"b","client_secret":"s"}';
    const answer = await cloud.ask('POST', '/oauth/token', { body });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});
