import type { Address } from '@authz-service/core/records/address';
import { referencesOf, type StoredRecord } from '@authz-service/core/records/registry';
import type { Diagnostic } from '../framework/diagnostics.js';

/** The mentioning records that a warning names. */
const USERS_NAMED = 5;

/**
 * The records that this run replaces under their own name, as `-replace` and triggers do. Terraform drops the warnings of such
 * a plan, so that the plan of the first record that mentions one says what becomes of it.
 */
export class ReplacedRecords {
  readonly #users = new Map<Address, readonly Address[]>();

  /** `users`: the addresses of the records that mention it and stay. */
  add(address: Address, users: readonly Address[]): void {
    this.#users.set(address, users);
  }

  /** Returns the warnings about what a record mentions, each once in a run. */
  warningsAt({ kind, fields }: Pick<StoredRecord, 'kind' | 'fields'>): Diagnostic[] {
    if (this.#users.size === 0) return [];
    return referencesOf(kind, fields).flatMap(({ target }) => {
      const users = this.#users.get(target);
      this.#users.delete(target);
      return users === undefined ? [] : [warning(target, users)];
    });
  }
}

function warning(address: Address, users: readonly Address[]): Diagnostic {
  const named = users.slice(0, USERS_NAMED).map((user) => `"${user}"`);
  const more = users.length > USERS_NAMED ? ` and ${users.length - USERS_NAMED} more` : '';
  const detail = `The apply removes and creates it in one step, so that no decision sees the time between. What mentions it stays as it is: ${named.join(', ')}${more}.`;
  return { severity: 'warning', summary: `"${address}" is replaced under its own name`, detail };
}
