import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskAuthzen } from '../conformance/authzen-cases.js';
import { Asker, LANGUAGES } from './asker.js';
import { ALICE, BOB, CerbosProcess, INVOICE, READ, WRITE } from './cerbos-process.js';
import { peer } from './peer.js';

const cerbos = peer('cerbos', 'the Go and Python SDKs against Cerbos');

/** Another vendor's decision point, which knows decisions and batches of AuthZEN, but no searches. */
describe.runIf(cerbos).each(LANGUAGES)('the %s SDK asks Cerbos', (language) => {
  let process: CerbosProcess;
  let asker: Asker;
  const asking = (discover: boolean): AskAuthzen => asker.asking({ url: process.url, discover });
  beforeAll(async () => {
    [process, asker] = await Promise.all([CerbosProcess.start(cerbos as string), Asker.start(language)]);
  });
  afterAll(() => Promise.all([process?.stop(), asker?.stop()]));

  it.each([false, true])('decisions, with its metadata read: %s', async (discover) => {
    const decide = async (subject: object) =>
      (await asking(discover)('evaluation', { subject, action: READ, resource: INVOICE })).body.decision;
    expect(await decide(ALICE)).toBe(true);
    expect(await decide(BOB)).toBe(false);
  });

  it.each([
    [undefined, [true, false, true]],
    ['deny_on_first_deny', [true, false]],
    ['permit_on_first_permit', [true]],
  ] as const)('batches, with %s', async (evaluations_semantic, decisions) => {
    const { body } = await asking(false)('evaluations', {
      subject: ALICE,
      resource: INVOICE,
      context: { channel: 'web' },
      evaluations: [{ action: READ }, { action: WRITE }, { action: READ }],
      ...(evaluations_semantic && { options: { evaluations_semantic } }),
    });
    expect(body).toEqual({ evaluations: decisions.map((decision) => ({ decision })) });
  });

  it('no searches: an error that says so', async () => {
    const body = { subject: ALICE, action: READ, resource: { type: 'invoice' } };
    expect(await asking(false)('search/resource', body)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('nothing that is malformed: the error has the words of Cerbos', async () => {
    const body = { subject: ALICE, action: READ, resource: { type: '', id: 'INV-1' } };
    expect(await asking(false)('evaluation', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', detail: expect.stringContaining('resource.type') },
    });
  });
});
