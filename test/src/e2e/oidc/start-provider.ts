import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./provider.mjs', import.meta.url));

/** An OpenID provider as a process of its own. */
export interface RunningProvider {
  issuer: string;
  /** The environment that a cloud needs to use it. */
  env: Record<string, string>;
  /** Lets it know the cloud that people come from. */
  know: (url: string) => Promise<void>;
  close: () => void;
}

export async function startProvider(): Promise<RunningProvider> {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout });
  const [issuer] = (await once(lines, 'line')) as [string];
  return {
    issuer,
    env: {
      SERVICE_OIDC_ISSUER: issuer,
      SERVICE_OIDC_CLIENT_ID: 'console',
      SERVICE_OIDC_CLIENT_SECRET: 'the secret of the console',
      SERVICE_OIDC_SCOPE: 'openid profile email groups',
      SERVICE_OIDC_GROUPS: 'auditors=auditors',
    },
    know: async (url) => {
      const ready = once(lines, 'line');
      child.stdin.write(`${url}/console/oidc/callback\n`);
      await ready;
    },
    close: () => void child.kill(),
  };
}
