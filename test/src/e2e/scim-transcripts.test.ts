import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';

interface Step {
  send: string;
  body?: unknown;
  headers?: Record<string, string>;
  status?: number;
  answer?: object;
  keep?: string;
}
interface Transcript {
  directory: object;
  steps: Step[];
  records: Record<string, true | object>;
}

const FOLDER = new URL('../../scim/', import.meta.url);
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.start();
});
afterAll(() => cloud.close());

describe.each(files)('%s', (file) => {
  const { directory, steps, records } = parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Transcript;
  const ids = new Map<string, string>();
  const filled = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll(/\$(\w+)/g, (whole, name) => ids.get(name) ?? whole));

  it('is answered as expected, and what is sent twice changes nothing', async () => {
    const admin = await cloud.tenant(file);
    const fields = { name: 'idp', ...directory };
    await cloud.commit(admin, [{ op: 'create', kind: 'directory', fields }]);
    const key = await cloud.key(admin, ['directory'], { directory: 'idp' });
    const state = async () => (await cloud.ask('GET', '/v1/state', { as: admin })).body;
    for (const step of steps) {
      const [method = '', path = ''] = filled(step.send).split(' ');
      const more = { ...(step.body !== undefined && { body: filled(step.body) }), headers: step.headers ?? {} };
      const send = () => cloud.ask(method, `/scim/v2${path}`, { as: key, ...more });
      const before = await state();
      const { status, body } = await send();
      expect({ step: step.send, status, body }).toMatchObject({
        step: step.send,
        status: step.status ?? 200,
        body: filled(step.answer ?? {}),
      });
      if (step.keep !== undefined) ids.set(step.keep, body.id);
      if (status >= 400) expect((await state()).revision).toBe(before.revision);
      if (method === 'GET') continue;
      const { revision } = await state();
      const again = await send();
      const expected = method === 'POST' && status === 201 ? 409 : method === 'DELETE' ? 404 : status;
      expect({ step: step.send, status: again.status }).toEqual({ step: step.send, status: expected });
      expect((await state()).revision, `${step.send} again`).toBe(revision);
    }
    const owned = ((await state()).records as { address: string; managed_by: string; fields: object }[]).filter(
      ({ managed_by: owner }) => owner === 'directory/idp',
    );
    const wanted = filled(records);
    expect(owned.map(({ address }) => address).sort()).toEqual(Object.keys(wanted).sort());
    for (const { address, fields: found } of owned) {
      const said = wanted[address];
      if (said !== true) expect({ address, ...found }).toMatchObject({ address, ...said });
    }
  });
});
