import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DecisionPoint } from './decision-point.js';

/** How an example application is started; it says "listening on http://…" when it is ready. */
export interface ApplicationStart {
  command: string;
  args: string[];
  cwd: string;
  env?: Record<string, string>;
}

/** The cases of every example application; `AUTHZ_URL` and `LISTEN` are in its environment. */
export function guardsRoutes(start: () => Promise<ApplicationStart>, { lists }: { lists?: true } = {}): void {
  let point: DecisionPoint;
  let application: ChildProcess;
  let url: string;

  beforeAll(async () => {
    point = await DecisionPoint.start();
    const { command, args, cwd, env } = await start();
    application = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env, AUTHZ_URL: await point.agent.url(), LISTEN: '127.0.0.1:0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    url = await listening(application);
  });
  afterAll(async () => {
    if (application?.exitCode === null && application.signalCode === null) {
      application.kill('SIGKILL');
      await once(application, 'exit');
    }
    await point?.stop();
  });

  const asked = async (user?: string): Promise<number> => {
    const headers: Record<string, string> = user === undefined ? {} : { 'x-user': user };
    const answer = await fetch(`${url}/invoices/INV-1`, { headers });
    const text = await answer.text();
    expect(text.includes('Invoice INV-1'), text).toBe(answer.status === 200);
    return answer.status;
  };

  it('shows an invoice to whom the agent allows it', async () => {
    expect(await asked('alice')).toBe(200);
  });

  it('refuses it to whom the agent denies it, and to nobody known', async () => {
    expect(await asked('bob')).toBe(403);
    expect(await asked()).toBe(401);
  });

  const listed = async (user?: string, after = '') => {
    const headers: Record<string, string> = user === undefined ? {} : { 'x-user': user };
    const answer = await fetch(`${url}/invoices?after=${after}`, { headers });
    return answer.status === 200 ? await answer.json() : answer.status;
  };

  it.runIf(lists)('lists the invoices that the caller may read, page by page, with their number', async () => {
    expect(await listed('alice')).toEqual({ invoices: ['INV-1', 'INV-2'], count: 5, next: 'INV-2' });
    expect(await listed('alice', 'INV-4')).toEqual({ invoices: ['INV-5'], count: 5, next: null });
    expect(await listed('carol')).toEqual({ invoices: ['INV-2', 'INV-4'], count: 3, next: 'INV-4' });
    expect(await listed('carol', 'INV-4')).toEqual({ invoices: ['INV-5'], count: 3, next: null });
    expect(await listed('bob')).toEqual({ invoices: [], count: 0, next: null });
    expect(await listed()).toBe(401);
  });

  it('shows nothing while the agent is slow, and goes on when it is quick again', async () => {
    point.agent.signal('SIGSTOP');
    expect(await asked('alice')).toBe(503);
    point.agent.signal('SIGCONT');
    expect(await asked('alice')).toBe(200);
  });

  it('shows nothing while the agent is away', async () => {
    await point.agent.kill();
    expect(await asked('alice')).toBe(503);
    if (lists) expect(await listed('alice')).toBe(503);
    expect(await asked()).toBe(401);
  });
}

function listening(application: ChildProcess): Promise<string> {
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    if (application.stderr === null) throw new Error('the application has no output');
    createInterface({ input: application.stderr }).on('line', (line) => {
      said.push(line);
      const found = /listening on (http:\/\/\S+)/i.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    application.once('exit', () => reject(new Error(`the application ended: ${said.join('\n')}`)));
  });
}
