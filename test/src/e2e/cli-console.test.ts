import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
let env: Record<string, string>;
let url: string;

beforeAll(async () => {
  bench = await Workbench.create();
  const cloud = await bench.startCloud();
  env = await cloud.tenant();
  url = cloud.url;
});
afterAll(() => bench.close());

const redeem = (link: string) =>
  fetch(`${url}/console/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ link: new URL(link).hash.slice(1) }),
  });

describe('servicectl console', () => {
  it('prints a link that signs in once, and nothing else on stdout', async () => {
    const { code, stdout, stderr } = await bench.run(['console'], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${url}/console/sign-in#[\\w-]{43}\\n$`));
    expect(stderr).toContain('within 60 seconds');
    const signedIn = await redeem(stdout.trim());
    expect(signedIn.status).toBe(200);
    expect(await signedIn.json()).toMatchObject({ person: { id: env.SERVICE_CLIENT_ID } });
    expect((await redeem(stdout.trim())).status).toBe(401);
  });

  it('prints JSON for scripts', async () => {
    expect(await bench.json(['console'], { env })).toEqual({ url: expect.any(String), expires_at: expect.any(String) });
  });
});
