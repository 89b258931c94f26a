import { hkdfSync } from 'node:crypto';
import { ProblemError } from '@authz-service/core/problem';
import { personId } from '@authz-service/core/records/person';
import { isLoopbackHost } from '@authz-service/core/values/loopback';
import { EncryptJWT, jwtDecrypt } from 'jose';
import * as client from 'openid-client';
import * as z from 'zod';
import type { PersonHolder } from './holder.js';
import type { OidcConfig } from './oidc-config.js';

/** How long somebody may take to sign in at the provider. */
export const SIGN_IN_SECONDS = 600;
const TIMEOUT_SECONDS = 10;
/** The largest difference between the clocks of identity provider and cloud. */
const SKEW_SECONDS = 60;

/** The values that have to come back unchanged from one who began to sign in. */
const pendingSchema = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), tenant: z.string() });

const claimsSchema = z.looseObject({
  sub: z.string().min(1),
  iat: z.number(),
  azp: z.unknown().optional(),
  name: z.string().optional(),
  preferred_username: z.string().optional(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
});

/** Signs people in with an OpenID provider: code flow with PKCE; no token of the provider leaves the cloud. */
export class Oidc {
  #provider: Promise<client.Configuration> | undefined;
  readonly #key: Uint8Array;

  /** `callback` is the address that the provider sends people back to. */
  constructor(
    private readonly config: OidcConfig,
    private readonly callback: () => string,
  ) {
    // All processes of an installation have the same one.
    const secret = hkdfSync('sha256', config.clientSecret.reveal(), config.clientId, 'sign-in to the console', 32);
    this.#key = new Uint8Array(secret);
  }

  /** Returns what it was set up with, but the secret. */
  settings(): Omit<OidcConfig, 'clientSecret'> & { callback: string } {
    const { clientSecret: _, ...shown } = this.config;
    return { ...shown, callback: this.callback() };
  }

  /** Returns where to send somebody who wants to sign in to a tenant, and what their browser keeps meanwhile. */
  async begin(tenant: string, now: number): Promise<{ url: string; pending: string }> {
    const provider = await this.#discover();
    const pending = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      tenant,
    };
    const url = client.buildAuthorizationUrl(provider, {
      redirect_uri: this.callback(),
      scope: this.config.scope,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
    });
    const sealed = await new EncryptJWT(pending)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(Math.floor(now / 1000) + SIGN_IN_SECONDS)
      .encrypt(this.#key);
    return { url: url.href, pending: sealed };
  }

  /** The person whom the provider sent back with this query. Throws `unauthorized`, and `network` if it cannot be asked. */
  async finish(search: string, pending: string, now: number): Promise<{ person: PersonHolder; tenant: string }> {
    const begun = await jwtDecrypt(pending, this.#key, { currentDate: new Date(now) })
      .then(({ payload }) => pendingSchema.parse(payload))
      .catch((cause: unknown) => {
        throw refused('It was not begun in this browser, or more than ten minutes ago', cause);
      });
    const provider = await this.#discover();
    const back = new URL(this.callback());
    back.search = search;
    const tokens = await client
      .authorizationCodeGrant(provider, back, {
        pkceCodeVerifier: begun.verifier,
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        idTokenExpected: true,
      })
      .catch((cause: unknown) => {
        throw refused('The identity provider did not confirm it', cause);
      });
    const claims = claimsSchema.safeParse(tokens.claims());
    if (!claims.success) throw refused('The identity provider named nobody', claims.error);
    const { azp, iat } = claims.data;
    if (azp !== undefined && azp !== this.config.clientId) throw refused('Its ID token was issued to another client');
    const age = now / 1000 - iat;
    if (age < -SKEW_SECONDS || age > SIGN_IN_SECONDS + SKEW_SECONDS)
      throw refused('Its ID token was not issued just now: compare the clocks of the provider and of this service');
    return { person: this.#personOf(claims.data), tenant: begun.tenant };
  }

  #personOf(claims: z.output<typeof claimsSchema>): PersonHolder {
    const { issuer, subject, groupsClaim } = this.config;
    const { sub, email } = claims;
    // An address that nobody has verified may be somebody else's.
    const verified = claims.email_verified === true ? email : undefined;
    const id = subject.by === 'email' ? verified : sub;
    if (id === undefined || id === '') {
      throw refused('The identity provider has not verified the e-mail address, which stands for the person here');
    }
    const named = claims[groupsClaim];
    return {
      kind: 'person',
      id: personId({ issuer, subject: sub }),
      name: claims.name ?? claims.preferred_username ?? verified ?? sub,
      issuer,
      subject: { type: subject.type, id },
      providerGroups: Array.isArray(named) ? named.filter((name) => typeof name === 'string') : [],
    };
  }

  /** Asks the provider for its endpoints and keys once, and again after a failure. */
  #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.config;
    const server = new URL(issuer);
    // The settings allow a provider without TLS on this machine alone.
    const insecure = isLoopbackHost(server.hostname) ? [client.allowInsecureRequests] : [];
    // OpenID Connect lets a client that got the ID token itself over TLS take it unsigned (Core, section 3.1.3.7): this one
    // verifies it by the keys at the `jwks_uri` of the metadata, and by no other, whatever its header says.
    const execute = [...insecure, client.enableNonRepudiationChecks];
    this.#provider ??= client
      .discovery(server, clientId, undefined, client.ClientSecretBasic(clientSecret.reveal()), {
        execute,
        timeout: TIMEOUT_SECONDS,
      })
      .catch((cause: unknown) => {
        this.#provider = undefined;
        throw new ProblemError(
          'network',
          `The identity provider "${issuer}" could not be asked for its metadata.`,
          [],
          {
            cause,
          },
        );
      });
    return this.#provider;
  }
}

function refused(why: string, cause?: unknown): ProblemError {
  return new ProblemError('unauthorized', `The sign-in failed. ${why}: sign in again.`, [], { cause });
}
