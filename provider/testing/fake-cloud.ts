import { randomUUID } from 'node:crypto';
import { ProblemError } from '@authz-service/core/problem';
import { isCredential } from '@authz-service/core/records/kinds';
import type { Limits } from '@authz-service/core/records/limits';
import type { Change } from '@authz-service/core/state/change';
import { revisionText } from '@authz-service/core/state/revision';
import { TenantState } from '@authz-service/core/state/tenant-state';
import type { CallOptions } from '@authz-service/sdk/transport';
import type { ChangesetRequest, ChangesetResult, TenantSnapshot, WhoAmI } from '@authz-service/sdk/wire';

/** A mishap of a change-set: the request or the answer is lost. */
export type Mishap = 'lost request' | 'lost answer' | 'no answer' | (() => void | Promise<void>);

/** The cloud as reconciling sees it, in memory, with a network that fails on demand. */
export class FakeCloud {
  readonly tenant = 'acme';
  readonly requests: ChangesetRequest[] = [];
  /** The faults of the next change-sets, in order. */
  readonly mishaps: Mishap[] = [];
  /** Whether `state` can be reached. */
  down = false;
  /** Those of the credential in use. */
  limits: Limits | undefined;
  readonly #state = new TenantState([]);
  #number = 0;

  get revision(): string {
    return revisionText(this.#number, this.#state.digest());
  }

  get addresses(): string[] {
    return [...this.#state.records()].map((record) => record.address).sort();
  }

  async state(options?: CallOptions): Promise<TenantSnapshot>;
  async state(options: CallOptions & { ifNoneMatch: string | undefined }): Promise<TenantSnapshot | undefined>;
  async state({
    ifNoneMatch,
  }: CallOptions & { ifNoneMatch?: string | undefined } = {}): Promise<TenantSnapshot | undefined> {
    if (this.down) throw unreachable();
    if (ifNoneMatch === this.revision) return undefined;
    const records = structuredClone([...this.#state.records()]);
    return { tenant: this.tenant, revision: this.revision, records };
  }

  async whoami(): Promise<WhoAmI> {
    if (this.down) throw unreachable();
    return {
      tenant: { id: this.tenant, name: this.tenant },
      credential: { kind: 'oauth_client', id: 'ci', name: 'ci' },
      ...(this.limits && { limits: this.limits }),
      scopes: ['records:write'],
    };
  }

  async changeset(body: ChangesetRequest, { signal }: CallOptions = {}): Promise<ChangesetResult> {
    this.requests.push(structuredClone(body));
    const mishap = this.mishaps.shift();
    if (mishap === 'lost request') throw unreachable();
    if (typeof mishap === 'function') await mishap();
    if (body.base_revision !== undefined && body.base_revision !== this.revision) {
      throw new ProblemError('stale_base', `The tenant stands at ${this.revision}.`);
    }
    const result = this.commit(body.changes, body.stack, body);
    if (mishap === 'lost answer') throw unreachable();
    if (mishap === 'no answer') {
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    }
    return result;
  }

  /** Changes the tenant as another client would. */
  commit(
    changes: Change[],
    stack = 'other',
    { take_ownership: takeOwnership = false, exclusive = false }: Partial<ChangesetRequest> = {},
  ): ChangesetResult {
    const revision = this.#number + 1;
    const staged = this.#state.stage(changes, {
      stack,
      takeOwnership,
      exclusive,
      now: new Date(0),
      newId: randomUUID,
      revision,
    });
    if (staged.put.length + staged.remove.length > 0) {
      this.#state.commit(staged);
      this.#number = revision;
    }
    const made = staged.put.filter(({ previous }) => previous === undefined).map(({ record }) => record);
    return {
      revision: this.revision,
      added: made.length,
      changed: staged.put.length - made.length,
      removed: staged.remove.length,
      created: made.map(({ address, id }) => ({ address, id })),
      secrets: made
        .filter(({ kind }) => isCredential(kind))
        .map(({ address, id }) => ({ address, id, secret: `svc_${address}` })),
    };
  }
}

function unreachable(): ProblemError {
  return new ProblemError('network', 'The connection was reset.');
}
