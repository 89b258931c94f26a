import { createPrivateKey, createSign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ProblemError } from '@authz-service/core/problem';
import type { TokenSource } from '../config/secret-file.js';

/** A token lasts for an hour; it is replaced this long before. */
const MARGIN_MS = 5 * 60_000;
const TIMEOUT_MS = 20_000;

interface App {
  id: number | string;
  installation: number;
  /** The path of the private key, as PEM. */
  key: string;
}

/** Returns the tokens of a GitHub App's installation: for Git over HTTPS and for the API. */
export function appTokens(app: App, api: string): TokenSource {
  let kept: { token: Promise<string>; goodUntil: number } | undefined;
  return () => {
    // Those who ask while it is made share it.
    if (kept !== undefined && Date.now() < kept.goodUntil - MARGIN_MS) return kept.token;
    const made = newToken(app, api);
    const entry = { token: made.then(({ token }) => token), goodUntil: Number.POSITIVE_INFINITY };
    kept = entry;
    made.then(
      ({ goodUntil }) => {
        entry.goodUntil = goodUntil;
      },
      () => {
        kept = undefined;
      },
    );
    return entry.token;
  };
}

async function newToken({ id, installation, key }: App, api: string): Promise<{ token: string; goodUntil: number }> {
  const response = await fetch(`${api}/app/installations/${installation}/access_tokens`, {
    method: 'POST',
    headers: {
      accept: 'application/vnd.github+json',
      'user-agent': 'authz-service-sync',
      authorization: `Bearer ${await appJwt(id, key)}`,
    },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok)
    throw new ProblemError(
      'invalid_config',
      `GitHub gives the app ${id} no token for the installation ${installation}: status ${response.status}. Look at access.app, and at this machine's clock.`,
    );
  const { token, expires_at: end } = (await response.json()) as { token: string; expires_at: string };
  return { token, goodUntil: Date.parse(end) };
}

/** A token that the app signs for itself (RFC 7519); GitHub takes it for ten minutes at most, and none from the future. */
async function appJwt(id: number | string, path: string): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: now - 60, exp: now + 540, iss: String(id) })}`;
  try {
    const key = createPrivateKey(await readFile(path));
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`;
  } catch {
    throw new ProblemError('invalid_config', `access.app.key: "${path}" holds no private key as PEM.`);
  }
}
