import { ProblemError } from '@authz-service/core/problem';
import { isCredential } from '@authz-service/core/records/kinds';
import { personId } from '@authz-service/core/records/person';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Staged } from '@authz-service/core/state/change';
import { type Credential, demand, holds } from '../auth/credential.js';
import { CredentialIndex, type KnownCredential } from '../auth/credential-index.js';
import type { JudgeOperators } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';

type CredentialRecord = Extract<StoredRecord, { kind: 'api_key' | 'oauth_client' }>;

/**
 * No caller creates, changes, removes or takes over a credential with more scopes than its own, or chooses its secret.
 * Neither a person nor a limited credential changes or removes what limits the person, and no two clients name one. And some credential must be left that can create others: throws `conflict` if none would be.
 */
export function guardCredentials(
  credentials: CredentialIndex,
  tenant: Tenant,
  credential: Credential,
  { staged, chosen, now }: { staged: Staged; chosen: ReadonlyMap<string, unknown>; now: number },
): void {
  const former: CredentialRecord[] = staged.remove.filter(isCredentialRecord);
  for (const record of former) demandScopes(credential, record, 'remove');
  for (const { record, previous, follows } of staged.put) {
    // An application in its limits was renamed: it may do what it could before.
    if (!isCredentialRecord(record) || follows) continue;
    if (previous !== undefined && isCredentialRecord(previous)) {
      former.push(previous);
      const sameFields = JSON.stringify(previous.fields) === JSON.stringify(record.fields);
      // From then on its owner decides over it: moving it to another stack is a change.
      const sameOwner = previous.managed_by === record.managed_by;
      if (sameFields && sameOwner && !chosen.has(record.address)) continue;
      demandScopes(credential, previous, 'change');
    }
    demandScopes(credential, record, 'give it to');
  }
  keepPersonsApart(tenant, staged, former);
  if (former.some((record) => administratorExpiry(record) !== undefined))
    keepAdministrator(tenant, staged, former, now);
  if (touchesOperators(credentials, staged)) demand(credential, ['operator']);
}

/**
 * Throws `conflict` if a client that is put names a person whom another client of the tenant names: with two, it would be
 * open which limits hold for the person.
 */
function keepPersonsApart(tenant: Tenant, staged: Staged, former: readonly CredentialRecord[]): void {
  const put = staged.put.flatMap(({ record }) => (personOf(record) === undefined ? [] : record));
  if (put.length === 0) return;
  const replaced = new Set([...former, ...put].map(({ address }) => address));
  const named = new Map<string | undefined, string>();
  for (const record of tenant.state.records('oauth_client'))
    if (!replaced.has(record.address)) named.set(personOf(record), record.address);
  for (const record of put) {
    const person = personOf(record);
    const other = named.get(person);
    if (other !== undefined) {
      throw new ProblemError(
        'conflict',
        `${record.address} names the person "${person}", whom ${other} names already: ` +
          'a person has the rights of one client, so change that one, or remove it first.',
      );
    }
    named.set(person, record.address);
  }
}

/** The person whom a client names. */
function personOf(record: StoredRecord): string | undefined {
  return record.kind === 'oauth_client' && record.fields.person ? personId(record.fields.person) : undefined;
}

/** Whether a change-set changes or removes an operator's credential. */
export function touchesOperators(credentials: CredentialIndex, staged: Staged): boolean {
  const former = [
    ...staged.remove,
    ...staged.put.flatMap(({ previous, follows }) => (follows ? [] : (previous ?? []))),
  ];
  return former.some((record) => credentials.of(record)?.operator === true);
}

/** Throws `conflict` if a change-set would leave no operator of any tenant; see `keepOperator`. */
export function keepOperatorAfter(staged: Staged, now: number): JudgeOperators {
  return (operators) => {
    const credentials = new CredentialIndex(operators);
    keepOperator(credentials, expiriesAfter(credentials, staged), now);
  };
}

/**
 * Throws `conflict` if no operator of any tenant would be left. `after` gives the expiry that an operator will have, in
 * milliseconds since the epoch, or undefined if it will be removed.
 */
export function keepOperator(
  credentials: CredentialIndex,
  after: (operator: KnownCredential) => number | undefined,
  now: number,
): void {
  const operators = [...credentials.operators()];
  const before = operators.map(({ expiresAt }) => expiresAt);
  if (!isLoss(before, operators.map(after), now)) return;
  const lost = operators.find((operator) => after(operator) !== operator.expiresAt);
  throw new ProblemError(
    'conflict',
    `"${lost?.name}" is the last operator of this installation that does not expire, and without one nobody could ` +
      'manage its tenants: create another operator first ("servicectl clients create --operator"), then repeat.',
  );
}

function keepAdministrator(tenant: Tenant, staged: Staged, former: readonly CredentialRecord[], now: number): void {
  const gone = new Set(former.map(({ address }) => address));
  const before = [...tenant.state.records('api_key'), ...tenant.state.records('oauth_client')];
  const after = before.filter(({ address }) => !gone.has(address));
  for (const { record } of staged.put) after.push(record);
  if (!isLoss(before.map(administratorExpiry), after.map(administratorExpiry), now)) return;
  const lost = former.find((record) => administratorExpiry(record) !== undefined);
  throw new ProblemError(
    'conflict',
    `${lost?.address} is the last credential of the tenant "${tenant.name}" that has the scope "credentials" and does ` +
      'not expire, and without one nobody could create another: create one with that scope first, then repeat.',
  );
}

/**
 * When a credential that can create others expires; undefined for any other record, and for a person's, which takes an
 * identity provider.
 */
function administratorExpiry(record: StoredRecord): number | undefined {
  if (!isCredentialRecord(record) || personOf(record) !== undefined) return undefined;
  if (!record.fields.scopes.includes('credentials')) return undefined;
  return expiryOf(record);
}

function expiriesAfter(
  credentials: CredentialIndex,
  staged: Staged,
): (operator: KnownCredential) => number | undefined {
  const changed = new Map<KnownCredential, number | undefined>();
  for (const record of staged.remove) {
    const known = credentials.of(record);
    if (known) changed.set(known, undefined);
  }
  for (const { record } of staged.put) {
    const known = credentials.of(record);
    if (known && isCredentialRecord(record))
      changed.set(known, personOf(record) === undefined ? expiryOf(record) : undefined);
  }
  return (operator) => (changed.has(operator) ? changed.get(operator) : operator.expiresAt);
}

/** In milliseconds since the epoch: infinite if there is no expiry, undefined for a removed credential. */
type Expiries = readonly (number | undefined)[];

/** Whether the last one without expiry goes; if none is without expiry, the last one that is still valid. */
function isLoss(before: Expiries, after: Expiries, now: number): boolean {
  const latest = (expiries: Expiries) => expiries.reduce<number>((most, expiry) => Math.max(most, expiry ?? 0), 0);
  const [then, next] = [latest(before), latest(after)];
  return then === Number.POSITIVE_INFINITY ? next !== then : then > now && next <= now;
}

function expiryOf({ fields }: CredentialRecord): number {
  const at = 'expires_at' in fields ? fields.expires_at : undefined;
  return at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at);
}

function demandScopes(credential: Credential, record: CredentialRecord, act: 'remove' | 'change' | 'give it to'): void {
  const person = personOf(record);
  if (act !== 'give it to' && person !== undefined) {
    // Limits that hold for a person must not end by their own hand, nor by a limited key that they made.
    const own = credential.kind === 'person' && credential.id === person;
    if (own || credential.limits !== undefined) {
      throw new ProblemError(
        'forbidden',
        `${record.address} says what the person "${person}" may do in the console, and neither they nor a credential ` +
          `with limits can ${act} it: ask another administrator.`,
      );
    }
  }
  for (const scope of record.fields.scopes) {
    // Who may write all records may let a directory write some.
    if (holds(credential, scope === 'directory' ? 'records:write' : scope)) continue;
    const has = act === 'give it to' ? '' : ', which has it';
    throw new ProblemError(
      'forbidden',
      `The credential "${credential.name}" lacks the scope "${scope}" and cannot ${act} ${record.address}${has}.`,
    );
  }
}

function isCredentialRecord(record: StoredRecord): record is CredentialRecord {
  return isCredential(record.kind);
}
