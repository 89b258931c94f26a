import { EventEmitter, once } from 'node:events';
import { finished } from '@authz-service/core/concurrency/time-slicing';
import type { Address } from '@authz-service/core/records/address';
import type { DeclaredRecord } from '@authz-service/core/records/registry';
import { affectedBySchemas } from '@authz-service/core/state/affected';
import type { Overlay } from '@authz-service/core/state/overlay';
import { validateRecords } from '@authz-service/core/state/validate';
import type { Diagnostic } from '../framework/diagnostics.js';

/** How long a record that no schema fits waits for one that may be planned at the same time. */
const SOON_MS = 1_500;
/** The most that wait at once: Terraform plans ten resources at a time, and the schema has to be among them. */
const WAITING_MAX = 4;

/**
 * Judges records that do not fit the schemas planned so far. Terraform knows no order of a condition and a schema that
 * allows it, so the schema may be planned later in the same run.
 */
export class SchemaFaults {
  private readonly schemas = new EventEmitter().setMaxListeners(0);
  private waiting = 0;
  /** Judgements that could not wait: the next that has waited repeats them. */
  private readonly doubtful: { address: Address; judge: () => Diagnostic[] }[] = [];

  /** Notes that a schema is planned. */
  arrived(): void {
    this.schemas.emit('planned');
  }

  /** The findings of `judge`, once those that schemas cause are final. */
  async final(record: DeclaredRecord, view: Overlay, judge: () => Diagnostic[]): Promise<Diagnostic[]> {
    const first = judge();
    const field = record.kind === 'policy' ? 'condition' : record.kind === 'subject' ? 'properties' : undefined;
    const isFault = ({ severity, path }: Diagnostic) => severity === 'error' && path?.[0] === field;
    if (field === undefined || !first.some(isFault) || !hasSchemas(view)) return first;
    if (this.waiting >= WAITING_MAX) {
      this.doubtful.push({ address: record.address, judge: () => judge().filter(isFault) });
      return first.filter((finding) => !isFault(finding));
    }
    this.waiting += 1;
    const signal = AbortSignal.timeout(SOON_MS);
    let found = first;
    while (found.some(isFault) && !signal.aborted) {
      await once(this.schemas, 'planned', { signal }).catch(() => {});
      found = judge();
    }
    this.waiting -= 1;
    const others = this.doubtful
      .splice(0)
      .flatMap((one) =>
        one.judge().map(({ path: _, ...rest }) => ({ ...rest, detail: `"${one.address}": ${rest.detail}` })),
      );
    return [...found, ...others];
  }
}

/**
 * The records of other stacks, and those planned so far, that do not fit a planned schema; of a removed one, those that do
 * not fit what is left.
 */
export function unfitFor(schema: DeclaredRecord, view: Overlay, stack: string): Diagnostic[] {
  const isRemoved = view.get(schema.address) === undefined;
  const before = new Map(isRemoved ? [[schema.address, schema]] : []);
  const affected = finished(affectedBySchemas(view, [schema.address], before)).keys();
  return validateRecords(view, affected, { external: () => true })
    .filter(({ severity, pointer }) => severity === 'error' && /^\/(?:condition$|properties)/.test(pointer))
    .map(({ address, detail }) => {
      const owner = view.get(address)?.managed_by;
      const named = owner === stack ? `"${address}"` : `"${address}", which belongs to the stack "${owner}",`;
      const text = `${named} would not fit it. ${detail}${/[.?]$/.test(detail) ? '' : '.'}`;
      return { severity: 'error', summary: 'Record in the way of a schema', detail: text };
    });
}

export function isSchema({ kind }: DeclaredRecord): boolean {
  return kind === 'subject_type' || kind === 'context_attribute';
}

function hasSchemas(view: Overlay): boolean {
  for (const kind of ['subject_type', 'context_attribute'] as const) for (const _ of view.addresses(kind)) return true;
  return false;
}
