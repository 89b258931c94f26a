import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestAnswer, TestCloud } from '../../testing/test-cloud.js';

/** Two databases in which the same path has another record at the same revision, as before and after a restore. */
let clouds: TestCloud[];
let made: TestAnswer[];
const PLACE = '/v1/groups/auditors';

beforeAll(async () => {
  clouds = [await TestCloud.start(), await TestCloud.start()];
  made = await Promise.all(
    ['Before.', 'After.'].map(async (description, at) => {
      const cloud = clouds[at] as TestCloud;
      return await cloud.ask('POST', '/v1/groups', {
        as: await cloud.token(),
        body: { name: 'auditors', description },
      });
    }),
  );
});

afterAll(() => Promise.all(clouds.map((cloud) => cloud.close())));

async function askRestored(method: string, headers: Record<string, string>, body?: object) {
  const [, restored] = clouds as [TestCloud, TestCloud];
  return await restored.ask(method, PLACE, { as: await restored.token(), headers, ...(body && { body }) });
}

it('sends a record again to who has another one of the same revision', async () => {
  const [before, after] = made as [TestAnswer, TestAnswer];
  expect(before.body.revision).toBe(after.body.revision);
  const { status, body } = await askRestored('GET', { 'if-none-match': before.headers.get('etag') ?? '' });
  expect({ status, description: body.description }).toEqual({ status: 200, description: 'After.' });
});

it.each<[string, (record: TestAnswer) => string, number]>([
  ['the ETag of another record of the revision', ({ headers }) => headers.get('etag') ?? '', 412],
  ['the revision', ({ body }) => `"${body.revision}"`, 200],
  ['another revision', ({ body }) => `"${body.revision - 1}"`, 412],
])('answers a change that expects %s with its status', async (_, expected, status) => {
  const [before] = made as [TestAnswer, TestAnswer];
  const headers = { 'if-match': expected(before), 'content-type': 'application/merge-patch+json' };
  expect((await askRestored('PATCH', headers, {})).status).toBe(status);
});
