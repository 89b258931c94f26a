import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { below, billing } from './cli/tenant.js';
import { TerminalSession } from './cli/terminal-session.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
let cloud: Awaited<ReturnType<Workbench['startCloud']>>;
let env: Record<string, string>;
beforeAll(async () => {
  bench = await Workbench.create();
  cloud = await bench.startCloud();
  await bench.write(below('tree', billing()));
});
afterAll(() => bench.close());
beforeEach(async () => {
  env = await cloud.tenant();
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const COLOUR = /\u001B\[\d+m/;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ASKED = 'Only "yes" is accepted: ';

const session = (args: string[], more: Record<string, string> = {}) =>
  new TerminalSession(args, bench.folder, bench.environment({ ...env, ...more }));
const roles = async () => (await bench.json<{ items: object[] }>(['get', 'roles'], { env })).items.length;

describe('apply on a terminal', () => {
  it('shows the plan, asks, and does it on a yes', async () => {
    const terminal = session(['apply', 'tree']);
    await terminal.answer(ASKED, 'yes\r');
    const { code, output } = await terminal.end();
    expect(code).toBe(0);
    expect(output.indexOf('+ role/billing/clerk')).toBeLessThan(output.indexOf(ASKED));
    expect(output).toMatch(/Applied.*: revision 2\.[0-9a-f]{16}; 15 added/);
    expect(await roles()).toBe(2);
  });

  it.each([
    ['a no', 'no\r', 1, /error:.* Not applied: nothing was changed\./],
    ['a mere y', 'y\r', 1, /Not applied/],
    ['an empty line', '\r', 1, /Not applied/],
    ['the end of the input', CTRL_D, 1, /Not applied/],
    ['Ctrl-C', CTRL_C, 130, /Interrupted\./],
  ])('changes nothing on %s', async (_, keys, exit, said) => {
    const terminal = session(['apply', 'tree']);
    await terminal.answer(ASKED, keys);
    const { code, output } = await terminal.end();
    expect({ code, output }).toEqual({ code: exit, output: expect.stringMatching(said) });
    expect(await roles()).toBe(0);
  });

  it('a yes covers removals, which the question names', async () => {
    await bench.write(below('shrinking', billing({ subjects: ['alice', 'bob', 'carol'] })));
    await bench.json(['apply', 'shrinking', '--yes'], { env });
    await bench.write(below('shrinking', billing()));
    const terminal = session(['apply', 'shrinking']);
    await terminal.answer('remove 1 record', 'yes\r');
    expect((await terminal.end()).code).toBe(0);
    expect(await bench.json(['get', 'subjects', '--filter', 'id=carol'], { env })).toEqual({ items: [] });
  });

  it('asks nothing where there is nothing to do', async () => {
    await bench.json(['apply', 'tree', '--yes'], { env });
    const { code, output } = await session(['apply', 'tree']).end();
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('Nothing to do') });
  });
});

describe('keys delete on a terminal', () => {
  it('asks about a key that exists, and deletes it', async () => {
    await bench.json(['keys', 'create', 'ci', '--scope', 'decisions'], { env });
    const terminal = session(['keys', 'delete', 'ci']);
    await terminal.answer('Type "ci" to continue: ', 'ci\r');
    expect(await terminal.end()).toEqual({ code: 0, output: expect.stringContaining('Deleted the API key "ci"') });
  });

  it('asks nothing about a key that does not exist', async () => {
    const { code, output } = await session(['keys', 'delete', 'nope']).end();
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('"nope" does not exist') });
    expect(output).not.toContain('Type ');
  });
});

describe('colour', () => {
  it.each<[string, string[], Record<string, string>, boolean]>([
    ['is there on a terminal', ['plan', 'tree'], {}, true],
    ['is not where NO_COLOR is set', ['plan', 'tree'], { NO_COLOR: '1' }, false],
    ['is not on a dumb terminal', ['plan', 'tree'], { TERM: 'dumb' }, false],
    ['marks errors', ['pln'], {}, true],
    ['leaves errors alone where NO_COLOR is set', ['pln'], { NO_COLOR: '1' }, false],
    ['leaves help alone where NO_COLOR is set', ['plan', '--help'], { NO_COLOR: '1' }, false],
  ])('%s', async (_, args, more, coloured) => {
    const { output } = await session(args, more).end();
    // A slow answer brings a moving line, which is no colour.
    expect(COLOUR.test(output), output).toBe(coloured);
  });
});

describe('a tree that takes long', () => {
  it('shows which file is read, and how many records are compared', async () => {
    const people = Array.from({ length: 30_000 }, (_, at) => `  user/u${at}: { name: U${at} }`).join('\n');
    await bench.write({ 'large/a.yaml': `version: 1\nstack: large\nsubjects:\n${people}\n` });
    const { code, output } = await session(['plan', 'large']).end();
    expect(code).toBe(0);
    expect(output).toMatch(/Reading the tree: file 1 of 1, [\d,]+ records …/);
    expect(output).toMatch(/Comparing 30,000 records with the \d+ records? of the tenant …/);
  });
});

describe('Ctrl-C', () => {
  it('ends a wait for a service with 130', async () => {
    const silent = await silentService();
    try {
      const terminal = session(['whoami'], { SERVICE_CLOUD_URL: silent.url });
      await silent.asked;
      await terminal.answer('', CTRL_C);
      expect(await terminal.end()).toMatchObject({ code: 130, output: expect.stringContaining('Interrupted.') });
    } finally {
      await silent.close();
    }
  });
});

/** A service that accepts requests and never answers. */
async function silentService() {
  const server = createServer();
  const asked = once(server, 'request');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
