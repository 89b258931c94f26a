import { writeFileSync } from 'node:fs';
import { ServiceClient } from '@authz-service/sdk/client';
import { filterSql } from '@authz-service/sdk/filter-sql';
import sqlite from 'sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { Workbench } from './cli/workbench.js';

const TREE = `version: 1
stack: docs
applications:
  docs:
    resource_types:
      folder: { actions: [read], parents: [{ type: docs/folder, property: folder }] }
      document:
        actions: [read, edit, count]
        parents: [{ type: docs/folder, property: folder }]
        properties: { owner: string, status: string, public: boolean, tags: list, size: number, more: any }
    roles:
      reader: {}
    policies:
      read-in-folder:
        { effect: ALLOW, resource_type: document, actions: [read], assigned_to: [role/docs/reader] }
      own:
        effect: ALLOW
        resource_type: document
        actions: [read, edit]
        condition: resource.properties.owner == subject.id
        assigned_to: [everyone]
      no-drafts:
        effect: DENY
        priority: 5
        resource_type: document
        actions: [read]
        condition: resource.properties.status == "draft" && resource.properties.owner != subject.id
        assigned_to: [everyone]
      arithmetic:
        effect: ALLOW
        resource_type: document
        actions: [count]
        condition: resource.properties.size * 2 < 10
        assigned_to: [everyone]
    resources:
      folder/hr: {}
      folder/pay: { parents: [docs/folder/hr] }
      folder/it: {}
subjects:
  user/alice: { roles: [{ role: docs/reader, resource: docs/folder/hr }] }
  user/bob: {}
`;
const MAP = {
  name: 'doc.name',
  properties: { owner: 'doc.owner', status: 'doc.status' },
  parents: { folder: 'doc.folder' },
};
const ROWS = [
  ['a', 'alice', 'draft', 'it'],
  ['b', 'bob', 'draft', 'pay'],
  ['c', 'bob', 'final', 'pay'],
  ['d', 'bob', 'final', 'it'],
  ['e', 'bob', null, 'hr'],
  ['f', 'ALICE', 'final', null],
  ['g', 'alice', 'final', 'unheard-of'],
  ['h', null, 'final', 'hr'],
] as const;
/** Bob's draft, his documents elsewhere, and a document of unknown status in no folder of hers are not among them. */
const ALLOWED = ['a', 'c', 'h'];
const ASKED = { subject: { type: 'user', id: 'alice' }, action: { name: 'read' }, resource: { type: 'docs/document' } };

let bench: Workbench;
let env: Record<string, string>;
let agent: AgentProcess;
let caller: { url: string; credentials: { apiKey: string } };

beforeAll(async () => {
  bench = await Workbench.create();
  const cloud = await bench.startCloud();
  env = await cloud.tenant('docs');
  await bench.write({ 'tree/docs.yaml': TREE });
  writeFileSync(bench.path('map.json'), JSON.stringify(MAP));
  await bench.json(['apply', bench.path('tree'), '--yes'], { env });
  const key = async (scope: string) =>
    (await bench.json<{ secret: string }>(['keys', 'create', scope, '--scope', scope], { env })).secret;
  caller = { url: cloud.url, credentials: { apiKey: await key('decisions') } };
  const secret = await key('bundle');
  agent = new AgentProcess({
    env: agentEnv(bench.folder, cloud.url, { SERVICE_API_KEY: secret, SERVICE_CACHE_DIR: bench.path('bundles') }),
  });
  await agent.healthy(({ status }) => status === 'ok');
});
afterAll(async () => {
  await agent?.kill();
  await bench.close();
});

/** The names of the rows that a WHERE selects. */
async function selected(sql: string, params: readonly (string | number)[]): Promise<string[]> {
  const database = new sqlite.Database(':memory:');
  const done = (run: (ended: (error: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => run((error) => (error === null ? resolve() : reject(error))));
  await done((ended) =>
    database.run('CREATE TABLE doc (name TEXT, owner TEXT COLLATE NOCASE, status TEXT, folder TEXT)', ended),
  );
  for (const row of ROWS) await done((ended) => database.run('INSERT INTO doc VALUES (?, ?, ?, ?)', row, ended));
  const found = await new Promise<{ name: string }[]>((resolve, reject) =>
    database.all<{ name: string }>(`SELECT name FROM doc WHERE ${sql} ORDER BY name`, params, (error, rows) =>
      error === null ? resolve(rows) : reject(error),
    ),
  );
  database.close();
  return found.map(({ name }) => name);
}

describe('a filter', () => {
  it.each(['cloud', 'agent'])('of the %s selects the rows that its decisions allow', async (which) => {
    const client = new ServiceClient(which === 'cloud' ? caller : { url: await agent.url() });
    const filter = await client.filterRows({ ...ASKED, options: { explain: true } });
    expect(filter.revision).toMatch(/^\d+\./);
    expect(filter.explanation?.policies.map(({ policy }) => policy)).toEqual([
      'policy/docs/no-drafts',
      'policy/docs/own',
      'policy/docs/read-in-folder',
    ]);
    const { sql, params } = filterSql(filter, MAP, 'sqlite');
    expect(await selected(sql, params)).toEqual(ALLOWED);
    const found: string[] = [];
    let parts = 0;
    for await (const part of client.filterParts(ASKED, { limit: 1 })) {
      parts++;
      const said = filterSql(part, MAP, 'sqlite');
      found.push(...(await selected(said.sql, said.params)));
    }
    expect(parts).toBeGreaterThan(1);
    expect(found.sort()).toEqual(ALLOWED);
    await expect(client.filterRows({ ...ASKED, page: { token: 'x' } } as never)).rejects.toMatchObject({
      code: 'invalid_cursor',
    });
    for (const [name, owner, status, folder] of ROWS) {
      const properties = { ...(owner !== null && { owner }), ...(status !== null && { status }), folder };
      const question = { ...ASKED, resource: { type: 'docs/document', name, properties } };
      expect([name, await client.isAllowed(question, { orDeny: true })]).toEqual([name, ALLOWED.includes(name)]);
    }
  });

  it('is printed by the command, as an answer and in SQL', async () => {
    const call = ['filter', 'user:alice', 'read', 'docs/document'];
    const answer = await bench.json<{ kind: string; condition: { op: string } }>(call, { env });
    expect({ ...answer, condition: answer.condition.op }).toEqual({ kind: 'some', condition: 'and' });
    const sql = await bench.json<{ kind: string; sql: string; params: string[] }>(
      [...call, '--sql', 'sqlite', '--map', bench.path('map.json')],
      { env },
    );
    expect(Object.keys(sql)).toEqual(['kind', 'sql', 'params']);
    expect(await selected(sql.sql, sql.params)).toEqual(ALLOWED);
    const { stdout } = await bench.run(['filter', 'user:bob', 'edit', 'docs/document'], { env });
    expect(stdout).toMatchInlineSnapshot(`
      "user:bob may do this to the docs/document rows for which

        all of
          properties.owner == "bob"
          any of
            parents.folder in ["hr", "it", "pay"]
            !has(parents.folder)
      "
    `);
  });

  it('is explained in SQL, too', async () => {
    const call = ['filter', 'user:bob', 'edit', 'docs/document', '--explain', '--sql', 'sqlite'];
    const asked = [...call, '--map', bench.path('map.json')];
    const { stdout } = await bench.run(asked, { env });
    expect(stdout).toMatch(/\n\n1 policy takes part:\n {2}ALLOW policy\/docs\/own\n$/);
    const { explanation } = await bench.json<{ explanation: { policies: object[] } }>(asked, { env });
    expect(explanation.policies).toEqual([expect.objectContaining({ policy: 'policy/docs/own', effect: 'ALLOW' })]);
  });

  it('is refused where columns cannot say it, naming the policy and the clause', async () => {
    const { code, stderr } = await bench.run(['filter', 'user:alice', 'count', 'docs/document'], { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/policy\/docs\/arithmetic has the clause resource\.properties\.size \* 2 < 10: /);
  });

  it.each([
    ['type', ['read', 'docs/documnet'], /TYPE "docs\/documnet" is not a resource type/],
    ['action', ['raed', 'docs/document'], /ACTION "raed" is not an action of docs\/document: did you mean "read"\?/],
  ])('that selects nothing because of a slip in the %s says so', async (_, asked, wrong) => {
    const { code, stderr } = await bench.run(['filter', 'user:alice', ...asked], { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(wrong) });
  });

  it('is refused where a column is missing', async () => {
    writeFileSync(bench.path('short.json'), JSON.stringify({ ...MAP, properties: { owner: 'doc.owner' } }));
    const call = [
      'filter',
      'user:alice',
      'read',
      'docs/document',
      '--sql',
      'sqlite',
      '--map',
      bench.path('short.json'),
    ];
    const { code, stderr } = await bench.run(call, { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('"properties.status"') });
  });

  it.each([
    ['no JSON', '{', /short\.json/],
    ['a slip', '{"nmae": "doc.name"}', /nmae/],
    ['no text', '{"name": 1}', /\/name/],
  ])('names what is wrong with a map that is %s', async (_, text, wrong) => {
    writeFileSync(bench.path('short.json'), text);
    const call = [
      'filter',
      'user:alice',
      'read',
      'docs/document',
      '--sql',
      'sqlite',
      '--map',
      bench.path('short.json'),
    ];
    const { code, stderr } = await bench.run(call, { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(wrong) });
  });
});
