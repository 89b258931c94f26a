import type { ProblemError } from '@authz-service/core/problem';
import type { Address } from '@authz-service/core/records/address';
import { isCredential, type Kind } from '@authz-service/core/records/kinds';
import { definitionOf, type Fields, type StoredRecord } from '@authz-service/core/records/registry';
import { referenceFields } from '@authz-service/core/records/schema-shape';
import type { Change } from '@authz-service/core/state/change';
import { type Diagnostic, Refusal, refuse } from '../framework/diagnostics.js';
import { equalValues } from '../framework/equal.js';
import type { Context, PlannedChange, Resource } from '../framework/provider.js';
import { UNKNOWN, type Value, type Values } from '../framework/value.js';
import { reportBrokenRules } from './broken-rules.js';
import { type ChangeCommand, type Granted, Refused } from './change-queue.js';
import { declareOnce, keep, remove } from './claims.js';
import { credentialSecrets, namesPerson } from './credential-secrets.js';
import { finallyDangling, referTo } from './dangling.js';
import { changedAfter, dependentsOf, inTheWay, mentionsAmong } from './dependents.js';
import { warnOfForeignLinks } from './foreign-links.js';
import { judgeConfig, judgeRecord, recordFrom, recordPlanned } from './judge.js';
import { overHeld, withKept } from './kept-fields.js';
import { outsideLimits } from './outside-limits.js';
import { removalOf } from './planned-rules.js';
import { identityOf, named, type RecordForm, recordForm, valuesOf } from './record-form.js';
import { importHint, recordToImport } from './record-import.js';
import { explained, type Hint } from './refusals.js';
import { isSchema, unfitFor } from './schema-faults.js';
import { type Configured, Pending, type Service, serviceOf, stored } from './service.js';
import { SingleLink } from './single-link.js';
import type { Records } from './snapshot.js';
import { foundInPlace, notAdopted } from './takeover.js';
import { withAllTypes } from './types-to-come.js';

/** The resource for one kind of record. */
export function recordResource(kind: Kind): Resource<Configured> {
  return new RecordResource(kind);
}

const REPLACED_IN_USE =
  'If a record with another name replaces it in this apply, give it lifecycle { create_before_destroy = true }, so that the records that mention it change first.';
const LEAVE_IT =
  'To keep the record and have Terraform only forget it, use terraform state rm, or a removed block with lifecycle { destroy = false }.';
class RecordResource implements Resource<Configured> {
  readonly schema: Resource<Configured>['schema'];
  private readonly form: RecordForm;
  /** The names of the fields that hold paths of other records. */
  private readonly references: ReadonlySet<string>;
  private readonly link: SingleLink | undefined;

  constructor(private readonly kind: Kind) {
    this.form = recordForm(kind);
    this.link = SingleLink.of(kind);
    const { schema } = definitionOf(kind);
    this.references = new Set(['entity', ...referenceFields(schema).map(({ steps }) => steps.at(-1) ?? '')]);
    const attributes = { ...this.form.attributes, ...credentialSecrets(kind)?.attributes };
    this.schema = { version: 0, description: definitionOf(kind).docs, attributes };
  }

  validate(config: Values) {
    return [...judgeConfig(this.form, config), ...(credentialSecrets(this.kind)?.judge(config) ?? [])];
  }

  async plan(configured: Configured, change: PlannedChange, context: Context): Promise<Values> {
    const { prior, planned, config } = change;
    const service = configured instanceof Pending ? undefined : configured;
    if (planned === null) {
      if (service !== undefined && prior !== null) await this.planRemoval(service, prior, context);
      return {};
    }
    const whole: Values = {
      ...planned,
      ...identityOf(this.form, planned),
      ...credentialSecrets(this.kind)?.plan(prior, config),
      managed_by: service === undefined ? (prior?.managed_by ?? UNKNOWN) : ownerAfter(service, prior),
    };
    return service === undefined ? whole : this.planKnown(service, whole, change, context);
  }

  private async planKnown(service: Service, drafted: Values, change: PlannedChange, context: Context): Promise<Values> {
    const { prior, config, replaced } = change;
    const held = prior === null ? await this.heldAt(service, drafted, context) : undefined;
    const whole = withKept(this.form, drafted, config, held);
    // For a replacement, Terraform plans the change first; it declares the same record as the creation.
    if (replaced === undefined) declareOnce(service, whole);
    this.link?.planned(service, prior, whole);
    if (prior !== null && whole.address === prior.address) {
      keep(service, prior);
      await explained(context.signal, () => warnOfForeignLinks(service, prior, context));
    }
    if (prior !== null && this.differs(prior, whole)) this.refuseForeign(service, prior);
    await explained(context.signal, async () => {
      await this.judge(service, prior, whole, change, context);
      if (prior !== null && whole.address !== UNKNOWN && whole.address !== prior.address)
        await warnOfUse(service, String(prior.address), String(whole.address), context);
    }).catch((error) => {
      // Terraform plans again in the middle of the apply.
      for (const diagnostic of service.narrowings.failed(String(whole.address))) context.report(diagnostic);
      throw error;
    });
    return whole;
  }

  private async heldAt(service: Service, { address }: Values, { signal }: Context): Promise<StoredRecord | undefined> {
    const records = await explained(signal, () => service.records(signal));
    return records.get(String(address));
  }

  key({ address }: Values): string {
    return String(address);
  }

  create(configured: Configured, drafted: Values, config: Values, context: Context): Promise<Values> {
    const service = serviceOf(configured);
    let held: StoredRecord | undefined;
    let planned = drafted;
    const hint: Hint = (problem) =>
      contradicts(problem, planned, 'exists already')
        ? this.refusedSinceHeld(service, String(planned.address), held)
        : undefined;
    return this.explained(context, hint, async () => {
      held = await this.heldAt(service, drafted, context);
      planned = withKept(this.form, drafted, config, held);
      const { address, fields } = this.recordOf(planned);
      const secret = credentialSecrets(this.kind)?.chosen(null, planned, config);
      const given = { fields: overHeld(this.form, fields, config, held), ...(secret !== undefined && { secret }) };
      const unclaimed = () =>
        held !== undefined && service.takesOver(held) && !service.claimed.has(address) ? held : undefined;
      const foreign = held?.managed_by === service.stack ? undefined : unclaimed();
      if (foreign !== undefined) return this.takeOver(service, foreign, planned, given, context);
      try {
        const command: ChangeCommand = { address, change: { op: 'create', kind: this.kind, ...given } };
        // The queue joins the two in one change-set.
        const removal = service.heldBack.delete(address)
          ? this.write(service, { address, change: { op: 'delete', address } }, context)
          : undefined;
        const [granted] = await Promise.all([this.write(service, command, context), removal]);
        return this.made(service, planned, granted, context);
      } catch (error) {
        // The plan may have assumed that this run removes the stack's own record; now it is known that it did not.
        const orphan = error instanceof Refused && error.problem.code === 'conflict' ? unclaimed() : undefined;
        if (orphan === undefined) throw error;
        return this.takeOver(service, orphan, planned, given, context);
      }
    });
  }

  async read(configured: Configured, state: Values, context: Context): Promise<Values | null> {
    if (configured instanceof Pending) return state;
    const records = await explained(context.signal, () => configured.records(context.signal));
    const record = this.find(records, state);
    if (record === undefined) return null;
    configured.inState.add(record.address);
    const before = this.kind === 'resource_type' ? recordFrom(this.form, state) : undefined;
    if (before?.kind === 'resource_type') configured.typesInState.set(record.address, before);
    const secrets = Object.keys(credentialSecrets(this.kind)?.attributes ?? {});
    return {
      ...valuesOf(this.form, record),
      ...Object.fromEntries(secrets.map((name) => [name, state[name] ?? null])),
    };
  }

  update(configured: Configured, prior: Values, planned: Values, config: Values, context: Context): Promise<Values> {
    const service = serviceOf(configured);
    const hint: Hint = (problem) =>
      contradicts(problem, prior, 'does not exist')
        ? 'It existed when this was planned: plan again, and Terraform creates it.'
        : undefined;
    return this.explained(context, hint, async () => {
      const { address, fields: declared } = this.recordOf(planned);
      const held = this.kind === 'subject' ? (await service.present(context.signal)).get(address) : undefined;
      const fields = overHeld(this.form, declared, config, held);
      const secret = credentialSecrets(this.kind)?.chosen(prior, planned, config);
      const change: Change = { op: 'update', address, fields, ...(secret !== undefined && { secret }) };
      await this.write(service, { address, change }, context);
      return { ...planned, managed_by: service.stack };
    });
  }

  delete(configured: Configured, prior: Values, context: Context, replacedBy: string | undefined): Promise<void> {
    const service = serviceOf(configured);
    const address = String(prior.address);
    // Another resource, which was created or took the record over in this run, now holds it.
    if (service.claimed.has(address)) return Promise.resolve();
    // The records that mention it stay, and a DENY that it is part of lapses at no moment. The secret of a credential that
    // is replaced ends at once.
    if (replacedBy === address && !isCredential(this.kind)) {
      service.heldBack.add(address);
      return Promise.resolve();
    }
    let users: readonly StoredRecord[] = [];
    const hint: Hint = (problem) => {
      if (problem.code !== 'conflict') return undefined;
      return replacedBy !== undefined ? REPLACED_IN_USE : removedInUse(users, service);
    };
    return this.explained(context, hint, async () => {
      try {
        await this.write(service, { address, change: { op: 'delete', address } }, context);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        const records = await service.present(context.signal);
        const held = records.get(address);
        if (held === undefined) return;
        if (error.problem.code === 'not_owner') this.refuseForeign(service, held);
        users = (mentionsAmong(records).get(address) ?? []).map(({ by }) => by);
        throw error;
      }
    });
  }

  async import(configured: Configured, id: string, context: Context): Promise<Values> {
    const service = serviceOf(configured);
    const records = await explained(context.signal, () => service.present(context.signal));
    const record = recordToImport(this.kind, id, records);
    const values = valuesOf(this.form, record);
    const secrets = Object.keys(this.schema.attributes).filter((name) => !Object.hasOwn(values, name));
    return {
      ...values,
      ...Object.fromEntries(secrets.map((name) => [name, name === 'client_id' ? record.id : null])),
    };
  }

  moved(from: string, state: Values): Values | undefined {
    return this.link?.moved(from, state);
  }

  /** Finds it by its id, which survives a rename, or else by its address, for a record that was created again. */
  private find(records: Records, state: Values): StoredRecord | undefined {
    const byAddress = () => records.get(String(state.address));
    if (this.form.forms.has('id')) return byAddress();
    return records.find(this.kind, String(state.id)) ?? (isCredential(this.kind) ? undefined : byAddress());
  }

  private async planRemoval(service: Service, prior: Values, context: Context): Promise<void> {
    this.refuseForeign(service, prior);
    remove(service, prior);
    this.link?.removed(service, prior);
    await explained(context.signal, async () => {
      const records = await service.records(context.signal);
      const held = records.get(String(prior.address));
      const outside = held === undefined ? [] : outsideLimits(service, held, records, records);
      if (outside.length > 0) throw new Refusal(outside);
    });
    const view = await explained(context.signal, () => service.judged(context.signal));
    view.delete(String(prior.address));
    const record = recordFrom(this.form, prior);
    const found = record !== undefined && isSchema(record) ? unfitFor(record, view, service.stack) : [];
    found.push(...(await (await service.plannedRules(context.signal)).judge([removalOf(String(prior.address))])));
    for (const finding of found) if (finding.severity === 'warning') context.report(finding);
    const errors = found.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) throw new Refusal(errors);
  }

  private differs(prior: Values, planned: Values): boolean {
    return Object.entries(this.schema.attributes).some(
      ([name, attribute]) => !equalValues(attribute, prior[name] ?? null, planned[name] ?? null),
    );
  }

  private refuseForeign(
    service: Service,
    { managed_by: owner, address }: { managed_by?: Value; address?: Value },
  ): void {
    if (service.takeOwnership || owner === service.stack || owner === null || owner === undefined) return;
    throw refuse(
      'Record of another stack',
      `"${String(address)}" belongs to the stack "${String(owner)}", not to "${service.stack}": change it there, or take it over with take_ownership = true in the provider block. ${LEAVE_IT}`,
    );
  }

  private async judge(
    service: Service,
    prior: Values | null,
    planned: Values,
    { config, replaced }: PlannedChange,
    context: Context,
  ): Promise<void> {
    const { signal } = context;
    const records = await service.records(signal);
    const own = records.get(String((prior ?? planned).address));
    for (const warning of own === undefined ? [] : service.replaced.warningsAt(own)) context.report(warning);
    const held = prior === null ? own : undefined;
    const dangling = await finallyDangling(this.form, planned, records, service);
    if (held !== undefined) {
      if (held.managed_by !== service.stack && !service.takeOwnership) throw this.foreign(held, dangling);
      const setsSecret = credentialSecrets(this.kind)?.chosen(null, planned, config) !== undefined;
      // The records that this run removes or replaces are gone by then.
      if (!service.removed.has(held.address) && !service.heldBack.has(held.address) && replaced !== held.address)
        context.report(foundInPlace(this.form, held, planned, service, setsSecret));
      else if (replaced === held.address) {
        const mentions = (await service.mentions(signal)).get(held.address) ?? [];
        const users = [...new Set(mentions.map(({ by }) => by.address))].filter((user) => !service.removed.has(user));
        if (users.length > 0) service.replaced.add(held.address, users);
      }
    }
    if (dangling.some(({ severity }) => severity === 'error')) throw new Refusal(dangling);
    for (const finding of dangling) context.report(finding);
    const record = recordPlanned(this.form, planned, config);
    if (record === undefined) return;
    const view = await service.judged(signal);
    view.put(stored(record, '', service.stack));
    const changes = prior === null || this.differs(prior, planned);
    const judged = await service.schemaFaults.final(record, view, () => judgeRecord(record, view));
    const found = await withAllTypes(judged, record, view, records);
    if (changes) found.push(...outsideLimits(service, record, records, view));
    if (isSchema(record)) service.schemaFaults.arrived();
    if (isSchema(record) && changes) found.push(...unfitFor(record, view, service.stack));
    if (record.kind === 'resource_type' && (held !== undefined || (prior !== null && this.differs(prior, planned)))) {
      const isOwn = (owner: string) => service.takeOwnership || owner === service.stack;
      found.push(...dependentsOf(record, records, isOwn, service.typesInState.get(record.address)));
    }
    if (!found.some(({ severity }) => severity === 'error')) {
      const former = prior === null || prior.address === record.address ? [] : [String(prior.address)];
      const changed = [
        ...former.map(removalOf),
        { address: record.address, record: stored(record, '', service.stack) },
      ];
      found.push(...(await (await service.plannedRules(signal)).judge(changed)));
    }
    for (const finding of found) if (finding.severity === 'warning') context.report(finding);
    const errors = found.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) throw new Refusal(errors);
  }

  private foreign(held: StoredRecord, more: readonly Diagnostic[]): Refusal {
    const detail = `${named(held)} exists already and belongs to the stack "${held.managed_by}". To take it over, set take_ownership = true in the provider block. To follow it without changing it, ${importHint(this.kind, held.address)}`;
    return new Refusal([{ severity: 'error', summary: 'Record exists already', detail }, ...more]);
  }

  private recordOf(values: Values) {
    const record = recordFrom(this.form, values);
    if (record !== undefined) return record;
    const found = judgeConfig(this.form, values).filter(({ severity }) => severity === 'error');
    throw found.length > 0 ? new Refusal(found) : new Error(`the values do not form a valid ${this.kind}`);
  }

  private async takeOver(
    service: Service,
    { address, id }: StoredRecord,
    planned: Values,
    given: { fields: Fields<Kind>; secret?: string },
    context: Context,
  ): Promise<Values> {
    service.claimed.add(address);
    try {
      await this.write(service, { address, change: { op: 'update', address, ...given } }, context);
    } catch (error) {
      service.claimed.delete(address);
      throw error;
    }
    return this.made(service, planned, { id }, context, true);
  }

  /**
   * Reports a type that kept what it should lose, because this change failed or although it succeeded: the type's own
   * change is already done.
   */
  private async write(service: Service, command: ChangeCommand, context: Context): Promise<Granted> {
    const { narrowings } = service;
    try {
      const granted = await service.write(this.kind, command, context.signal);
      reportBrokenRules(granted.brokenRules, context);
      return granted;
    } catch (error) {
      for (const diagnostic of narrowings.failed(command.address)) context.report(diagnostic);
      throw error;
    } finally {
      for (const diagnostic of narrowings.takeRefused()) context.report(diagnostic);
    }
  }

  private made(service: Service, planned: Values, granted: Granted, context: Context, taken = false): Values {
    const id: Value = this.form.forms.has('id') ? (planned.id ?? null) : (granted.id ?? null);
    const secrets = credentialSecrets(this.kind)?.made(planned, granted);
    const values: Values = { ...planned, id, managed_by: service.stack, ...secrets };
    for (const [name, value] of Object.entries(secrets ?? {})) {
      const isLost = planned[name] === UNKNOWN && value === null && !namesPerson(planned);
      if (isLost) context.report(this.secretMissing(values, taken));
    }
    return values;
  }

  private secretMissing({ address }: Values, taken: boolean): Diagnostic {
    if (taken) {
      const detail = `"${String(address)}" was taken over. Its secret stays the same and is not in the state, because the service showed it only once. Give secret_wo to set another.`;
      return { severity: 'warning', summary: 'Secret not known', detail };
    }
    const detail = `The ${this.kind} was created, but the answer with its secret was lost, and the service shows it only once. Terraform will replace it in the next apply.`;
    return { severity: 'error', summary: 'Secret lost', detail };
  }

  /** Why a record that already exists could not be created, and what to do. */
  private refusedSinceHeld(service: Service, address: string, held: StoredRecord | undefined): string {
    if (held?.managed_by !== service.stack) return `To manage it here, ${importHint(this.kind, address)}`;
    return [
      `It belongs to this stack, "${service.stack}". What to do depends on the cause:`,
      '  - This apply removes it under another label: apply again; a moved block avoids this.',
      '  - It is replaced under its own name: remove create_before_destroy from it and from what depends on it.',
      '  - Two records exchange their names: use a third name and two applies.',
      '  - Another resource declares it, too: remove one of the two.',
      `  - The state has lost it, for example in a killed run: ${notAdopted(this.kind, service.stack)}`,
      `To take over this one alone, ${importHint(this.kind, address)}`,
    ].join('\n');
  }

  private explained<T>({ signal }: Context, hint: Hint | undefined, work: () => Promise<T>): Promise<T> {
    return explained(signal, work, (problem, path) => {
      const field = path?.findLast((step) => typeof step === 'string');
      return problem.code === 'invalid_records' && this.references.has(String(field))
        ? referTo(String(field))
        : hint?.(problem, path);
    });
  }
}

/** Reports in the plan what the service would refuse during the apply because of a rename. */
async function warnOfUse(service: Service, before: Address, after: Address, context: Context): Promise<void> {
  const mentions = (await service.mentions(context.signal)).get(before) ?? [];
  const users = changedAfter(before, after, mentions);
  if (users.length > 0) context.report(inTheWay(before, users));
}

/** Why a record that this run removes is still mentioned by records that the run does not remove. */
function removedInUse(users: readonly StoredRecord[], { stack }: Service): string {
  const foreign = [...new Set(users.map((user) => user.managed_by))].filter((owner) => owner !== stack).sort();
  const others = foreign.map((owner) => `"${owner}"`).join(' and ');
  const whose =
    foreign.length > 0
      ? `The records that use it belong to the stack ${others}: remove them there first.`
      : 'The records that use it belong to this stack, but no resource of this run removes them: import them, so that they are removed too, or remove them by hand.';
  return `${whose} ${LEAVE_IT}`;
}

/**
 * Whether a change failed because the record exists or does not; a chosen secret may be refused because it is in use.
 */
function contradicts({ code, detail }: ProblemError, { address }: Values, how: string): boolean {
  return code === 'conflict' && detail.startsWith(`"${String(address)}" ${how}`);
}

/** The owner after the change: the stack, if it creates the record or takes it over. */
function ownerAfter(service: Service, prior: Values | null): Value {
  return prior === null || service.takeOwnership ? service.stack : (prior.managed_by ?? null);
}
