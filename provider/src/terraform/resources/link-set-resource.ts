import type { Address } from '@authz-service/core/records/address';
import type { DeclaredRecord, StoredRecord } from '@authz-service/core/records/registry';
import { equalJson } from '@authz-service/core/state/equal-json';
import { type Diagnostic, Refusal, refuse } from '../framework/diagnostics.js';
import type { Context, PlannedChange, Resource } from '../framework/provider.js';
import { UNKNOWN, type Value, type Values } from '../framework/value.js';
import { reportBrokenRules } from './broken-rules.js';
import type { ChangeCommand } from './change-queue.js';
import { declareOnce, type LinkOwner, leave, list } from './claims.js';
import { danglingIn } from './dangling.js';
import { judgeRecord } from './judge.js';
import { LinkSet, SETS } from './link-set.js';
import { outsideLimits } from './outside-limits.js';
import { removalOf } from './planned-rules.js';
import { recordToImport } from './record-import.js';
import { explained } from './refusals.js';
import { type Configured, Pending, type Service, serviceOf, stored } from './service.js';

/** The resources that own a whole set of links, by their types. */
export function linkSetResources(): [type: string, make: () => Resource<Configured>][] {
  return SETS.map((words) => {
    const set = new LinkSet(words);
    return [set.type, () => new LinkSetResource(set)];
  });
}

class LinkSetResource implements Resource<Configured> {
  readonly schema: Resource<Configured>['schema'];

  constructor(private readonly set: LinkSet) {
    const { granted, single, words, attributes } = set;
    const description = `Owns all ${words.name} of a ${granted} of this stack: what it does not list is removed, also what other stacks or the API have added. A plan shows them as a difference. Do not use it together with \`${single}\` for the same ${granted}; a \`moved\` block hands the link of one over to it, or back.`;
    this.schema = { version: 0, description, attributes };
  }

  validate(config: Values): Diagnostic[] {
    return this.set.judge(config);
  }

  async plan(configured: Configured, change: PlannedChange, context: Context): Promise<Values> {
    const { prior, planned, replaced } = change;
    const whole: Values = { ...planned, address: this.set.grantedIn(planned ?? {}) ?? UNKNOWN };
    if (configured instanceof Pending) return whole;
    await explained(context.signal, () => this.judge(configured, { prior, planned, replaced }, context));
    return whole;
  }

  key(values: Values): string {
    return String(this.set.grantedIn(values));
  }

  create(configured: Configured, planned: Values, _config: Values, context: Context): Promise<Values> {
    return this.write(serviceOf(configured), planned, context);
  }

  update(configured: Configured, _prior: Values, planned: Values, _config: Values, context: Context): Promise<Values> {
    return this.write(serviceOf(configured), planned, context);
  }

  async delete(configured: Configured, prior: Values, context: Context, replacedBy: string | undefined): Promise<void> {
    // The creation that follows writes the difference.
    if (replacedBy === this.key(prior)) return;
    await this.write(serviceOf(configured), { ...prior, [this.set.words.name]: [] }, context);
  }

  /** A set of the single link that a resource held by itself. What else the record is granted to is read afterwards. */
  moved(from: string, state: Values): Values | undefined {
    if (from !== this.set.single) return undefined;
    const names = Object.keys(this.set.itemAttributes);
    const item: Values = Object.fromEntries(names.map((name): [string, Value] => [name, state[name] ?? null]));
    return {
      address: this.set.grantedIn(state) ?? null,
      [this.set.granted]: state[this.set.granted] ?? null,
      [this.set.words.name]: [item],
    };
  }

  async read(configured: Configured, state: Values, context: Context): Promise<Values | null> {
    if (configured instanceof Pending) return state;
    const records = await explained(context.signal, () => configured.records(context.signal));
    const granted = this.set.grantedIn(state);
    if (granted === undefined || records.get(granted) === undefined) return null;
    return this.set.valuesOf(granted, this.set.held(granted, records), state);
  }

  async import(configured: Configured, id: string, context: Context): Promise<Values> {
    const service = serviceOf(configured);
    const records = await explained(context.signal, () => service.present(context.signal));
    const granted = recordToImport(this.set.granted, id, records).address;
    return this.set.valuesOf(granted, this.set.held(granted, records));
  }

  /** Refuses in the plan what the service would refuse in the apply, and names what it takes from other stacks. */
  private async judge(
    service: Service,
    { prior, planned, replaced }: Pick<PlannedChange, 'prior' | 'planned' | 'replaced'>,
    context: Context,
  ): Promise<void> {
    const { signal } = context;
    const records = await service.records(signal);
    for (const link of prior === null ? [] : this.set.records(prior))
      for (const warning of service.replaced.warningsAt(link)) context.report(warning);
    const view = await service.judged(signal);
    const granted = this.set.grantedIn(planned ?? prior ?? {});
    const owner = granted === undefined ? undefined : records.get(granted)?.managed_by;
    const foreign = owner !== undefined && owner !== service.stack && !service.takeOwnership;
    if (granted !== undefined && foreign) throw this.foreign(service, granted, owner);
    const wanted = planned === null ? [] : this.set.records(planned);
    const faults: Diagnostic[] = planned === null ? [] : this.set.twice(planned);
    if (planned !== null && faults.length === 0) {
      for (const item of this.set.items(planned)) {
        const values = this.set.linkValues(planned, item);
        faults.push(...danglingIn(this.set.formOfLink, values, records, service.declared).map(atSet(this.set)));
      }
      // If the set is replaced, the change is planned first, and it declares the same links as the creation.
      if (replaced === undefined) for (const { address } of wanted) declareOnce(service, { address });
    }
    if (faults.length > 0) throw new Refusal(faults);
    const after = new Set(wanted.map(({ address }) => address));
    const before = prior === null ? [] : this.set.records(prior).map(({ address }) => address);
    const asSet: LinkOwner = { type: this.set.type, whole: true };
    list(service, asSet, after);
    const sameRecord = planned !== null && granted === this.set.grantedIn(prior ?? {});
    const stays = planned === null ? undefined : sameRecord ? 'same record' : 'elsewhere';
    const left = before.filter((address) => !after.has(address));
    leave(service, { ...asSet, stays }, left);
    const { gone, put, changed } = this.differences(
      granted === undefined ? [] : this.set.held(granted, records),
      wanted,
      service,
    );
    for (const { address } of gone) view.delete(address);
    for (const record of wanted) view.put(stored(record, '', service.stack));
    for (const record of wanted) faults.push(...judgeRecord(record, view).map(atSet(this.set)));
    for (const record of put) faults.push(...outsideLimits(service, record, records, view).map(atSet(this.set)));
    if (!faults.some(({ severity }) => severity === 'error')) {
      const kept = new Set(put.map(({ address }) => address));
      const removed = gone.filter(({ address }) => !kept.has(address)).map(({ address }) => removalOf(address));
      const made = [...put, ...changed].map((record) => ({
        address: record.address,
        record: stored(record, '', service.stack),
      }));
      faults.push(...(await (await service.plannedRules(signal)).judge([...removed, ...made])));
    }
    for (const finding of faults) if (finding.severity === 'warning') context.report(finding);
    const errors = faults.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) throw new Refusal(errors);
    const others = gone.filter(({ managed_by }) => managed_by !== service.stack);
    if (others.length > 0 && granted !== undefined) context.report(this.removed(granted, others, wanted));
  }

  /** Makes the set what it is to be, in one change-set. What another stack owns is removed, never changed. */
  private async write(service: Service, planned: Values, context: Context): Promise<Values> {
    const { signal } = context;
    const granted = this.set.grantedIn(planned);
    if (granted === undefined) throw new Error('a set was planned for a record that is not known');
    const wanted = this.set.records(planned);
    const others = new Set(service.claimed);
    for (const { address } of wanted) service.claimed.add(address);
    await explained(signal, async () => {
      // A single resource may be giving up one of these links, and another may hold one from now on.
      await service.deleted(wanted.map(({ address }) => address));
      const records = await service.present(signal);
      const held = this.set.held(granted, records).filter(({ address }) => !others.has(address));
      const { gone, put, changed } = this.differences(held, wanted, service);
      const commands: ChangeCommand[] = [
        ...gone.map(({ address }): ChangeCommand => ({ address, change: { op: 'delete', address } })),
        ...put.map(({ kind, address, fields }): ChangeCommand => ({ address, change: { op: 'create', kind, fields } })),
        ...changed.map(
          ({ address, fields }): ChangeCommand => ({ address, change: { op: 'update', address, fields } }),
        ),
      ];
      const answers = await Promise.all(commands.map((command) => service.writeSet(command, signal)));
      for (const { brokenRules } of answers) reportBrokenRules(brokenRules, context);
    });
    return { ...planned, address: granted };
  }

  /**
   * Returns what goes, comes and changes. A link of another stack that shall stay goes, too, and comes anew as this stack's.
   */
  private differences(
    held: readonly StoredRecord[],
    wanted: readonly DeclaredRecord[],
    { stack }: Service,
  ): { gone: StoredRecord[]; put: DeclaredRecord[]; changed: DeclaredRecord[] } {
    const present = new Map(held.map((record) => [record.address, record]));
    const addresses = new Set(wanted.map(({ address }) => address));
    const isOwn = (address: Address) => present.get(address)?.managed_by === stack;
    return {
      gone: held.filter(({ address }) => !addresses.has(address) || !isOwn(address)),
      put: wanted.filter(({ address }) => !isOwn(address)),
      changed: wanted.filter(
        ({ address, fields }) => isOwn(address) && !equalJson(present.get(address)?.fields, fields),
      ),
    };
  }

  private foreign({ stack }: Service, granted: Address, owner: string): Refusal {
    const { single, words } = this.set;
    return refuse(
      'Record of another stack',
      `${this.set.named(granted)} belongs to the stack "${owner}", not to "${stack}": only its own stack can own all its ${words.name}. Give it to single ones with ${single}.`,
      [this.set.granted],
    );
  }

  private removed(granted: Address, others: readonly StoredRecord[], wanted: readonly DeclaredRecord[]): Diagnostic {
    const stays = new Set(wanted.map(({ address }) => address));
    const lines = others.map(({ address, managed_by }) =>
      stays.has(address)
        ? `  ~ ${address}, which belongs to "${managed_by}" and is made anew as this stack's`
        : `  - ${address}, which belongs to "${managed_by}"`,
    );
    const detail = `It is not listed here, so that the apply removes it:\n${lines.join('\n')}`;
    return { severity: 'warning', summary: `${this.set.named(granted)} loses what other stacks have added`, detail };
  }
}

/** Elements of a set have no place of their own that Terraform could point to. */
function atSet({ words }: LinkSet): (diagnostic: Diagnostic) => Diagnostic {
  return (diagnostic) => ({ ...diagnostic, path: [words.name] });
}
