import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { billing, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;

const subject = (id: string, name?: string) => ({
  op: 'create' as const,
  kind: 'subject' as const,
  fields: { type: 'user', id, ...(name !== undefined && { name }) },
});

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
  await cloud.commit(admin, billing());
  const many = Array.from({ length: 30 }, (_, index) => subject(`person-${index + 10}`));
  await cloud.commit(admin, [subject('anneliese'), subject('anne', 'Anne Person'), subject('joanne'), ...many]);
});
afterAll(() => cloud.close());

async function found(query: string): Promise<string[]> {
  const { status, body } = await cloud.ask('GET', `/v1/search?${query}`, { as: admin });
  expect(status).toBe(200);
  return body.items.map(({ address }: { address: string }) => address);
}

describe('a search of records', () => {
  it.each([
    [
      'what is the word before what begins with it',
      'q=anne&kind=subject',
      ['subject/user/anne', 'subject/user/anneliese'],
    ],
    ['a word within a name, in any case', 'q=PERS+ann&kind=subject', ['subject/user/anne']],
    ['by the path', 'q=user/joa&kind=subject', ['subject/user/joanne']],
    ['nothing of another owner', 'q=anne&kind=subject&managed_by=acme', []],
    ['what belongs to an application', 'q=accountant&kind=role&application=billing', ['role/billing/accountant']],
    ['nothing of another application', 'q=accountant&kind=role&application=hr', []],
  ])('finds %s', async (_, query, addresses) => {
    expect(await found(query)).toEqual(addresses);
  });

  it('of every kind puts exact matches first', async () => {
    const [first] = await found('q=accountant');
    expect(first).toBe('role/billing/accountant');
  });

  it('goes through all pages, each record once', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await cloud.ask('GET', `/v1/search?q=person&kind=subject&limit=7${cursor}`, { as: admin });
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor === undefined ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    expect(seen).toHaveLength(31);
    expect(new Set(seen).size).toBe(31);
  });

  it('follows commits', async () => {
    await cloud.commit(admin, [subject('zoe')]);
    expect(await found('q=zoe')).toEqual(['subject/user/zoe']);
    await cloud.commit(admin, [{ op: 'delete', address: 'subject/user/zoe' }]);
    expect(await found('q=zoe')).toEqual([]);
  });

  it.each([
    ['without a word', 'q=+', 'invalid_request'],
    ['with a cursor and no kind', 'q=anne&cursor=x', 'invalid_request'],
    ['with a cursor of another search', 'q=anne&kind=subject&cursor=x', 'invalid_cursor'],
  ])('is refused %s', async (_, query, code) => {
    const { body } = await cloud.ask('GET', `/v1/search?${query}`, { as: admin });
    expect(body.code).toBe(code);
  });
});

describe('the links of a record', () => {
  it('lead to what it refers to and, page by page, to what mentions it', async () => {
    const address = 'role/billing/accountant';
    const { body } = await cloud.ask('GET', `/v1/links?address=${address}`, { as: admin });
    expect(body.references).toEqual([{ pointer: '/application', address: 'application/billing' }]);
    const all = body.items.map((item: { address: string }) => item.address);
    expect(all.length).toBeGreaterThan(1);
    const paged: string[] = [];
    let cursor = '';
    do {
      const page = await cloud.ask('GET', `/v1/links?address=${address}&limit=1${cursor}`, { as: admin });
      paged.push(...page.body.items.map((item: { address: string }) => item.address));
      cursor = page.body.next_cursor === undefined ? '' : `&cursor=${page.body.next_cursor}`;
    } while (cursor !== '');
    expect(paged).toEqual(all);
  });

  it('are those of one kind alone where one is named', async () => {
    const address = 'role/billing/accountant';
    const all = await cloud.ask('GET', `/v1/links?address=${address}`, { as: admin });
    const kinds = new Set<string>(all.body.items.map((item: { kind: string }) => item.kind));
    expect(kinds.size).toBeGreaterThan(1);
    for (const kind of kinds) {
      const { body } = await cloud.ask('GET', `/v1/links?address=${address}&kind=${kind}`, { as: admin });
      expect(body.items).toEqual(all.body.items.filter((item: { kind: string }) => item.kind === kind));
    }
  });

  it.each([
    ['a record that does not exist', 'role/nobody', 'not_found'],
    ['what is no address', 'nonsense', 'invalid_address'],
  ])('of %s are refused', async (_, address, code) => {
    const { body } = await cloud.ask('GET', `/v1/links?address=${address}`, { as: admin });
    expect(body.code).toBe(code);
  });
});
