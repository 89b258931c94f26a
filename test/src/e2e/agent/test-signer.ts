import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { announceKeys, type KeySet } from '@authz-service/core/bundle/key-set';
import { makeBundleKey, signingKey } from '@authz-service/core/bundle/make-key';
import { type NamedBundle, signNewest } from '@authz-service/core/bundle/newest';
import type { SigningKey } from '@authz-service/core/bundle/signing-key';
import { signDelta, signStatement, statementOf } from '@authz-service/core/bundle/statement';
import type { Bundle } from '@authz-service/core/bundle/types';
import { encodeBundle, packBundle } from '@authz-service/core/bundle/write';
import { Secret } from '@authz-service/core/values/secret';
import { apiKeyHash } from '@authz-service/embedded/cache/api-key-hash';

/** Signs bundles and publishes keys as a cloud does. */
export class TestSigner {
  private constructor(
    private key: SigningKey,
    public set: KeySet,
    readonly announcements: string[],
  ) {}

  static async make(): Promise<TestSigner> {
    const { kid, privateJwk, publicKey } = await makeBundleKey();
    const key = await signingKey(kid, privateJwk);
    const set = { version: 1, keys: [publicKey] };
    return new TestSigner(key, set, [await announceKeys(set, key)]);
  }

  get kid(): string {
    return this.key.kid;
  }

  /** The content of `/.well-known/jwks.json`. */
  get jwks(): string {
    return JSON.stringify({ keys: this.set.keys, announcements: this.announcements });
  }

  /** The text of `bundle.jws`. */
  sign(bundle: Bundle, sha256 = sha256Of(encodeBundle(bundle))): Promise<string> {
    return signStatement(statementOf(bundle, sha256, new Date()), this.key);
  }

  pack(bundle: Bundle): Promise<Buffer> {
    return packBundle(bundle, (sha256) => this.sign(bundle, sha256));
  }

  /** The text of `delta.jws`. */
  signDelta(sha256: string): Promise<string> {
    return signDelta(sha256, new Date(), this.key);
  }

  /** The text of `Bundle-Newest`. */
  signNewest(bundle: NamedBundle, at: Date): Promise<string> {
    return signNewest(bundle, at, this.key);
  }

  /** Writes to a folder what an agent that trusts these keys and has this API key keeps there. */
  async leaveIn(folder: string, bundle: Bundle, apiKey = 'svc_test'): Promise<void> {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'bundle.json'), encodeBundle(bundle));
    writeFileSync(join(folder, 'bundle.jws'), await this.sign(bundle));
    writeFileSync(join(folder, 'bundle-keys.json'), this.jwks);
    const [{ id, name, revision } = { id: '', name: '', revision: '' }] = bundle.tenants;
    const last = { tenant: { id, name }, revision, keyHash: apiKeyHash(new Secret(apiKey), id) };
    writeFileSync(join(folder, 'served.json'), JSON.stringify(last));
  }

  async rotate({ announced = true, revoke = false } = {}): Promise<void> {
    const { kid, privateJwk, publicKey } = await makeBundleKey();
    this.set = { version: this.set.version + 1, keys: [publicKey, ...(revoke ? [] : this.set.keys)] };
    if (announced) this.announcements.push(await announceKeys(this.set, this.key));
    this.key = await signingKey(kid, privateJwk);
  }
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
