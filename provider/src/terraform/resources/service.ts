import { EventEmitter, once } from 'node:events';
import type { Writer } from '@authz-service/core/limits/writer';
import type { Address } from '@authz-service/core/records/address';
import { isCredential, type Kind, mayBeDistributed } from '@authz-service/core/records/kinds';
import { type DeclaredRecord, declare, type Fields, type StoredRecord } from '@authz-service/core/records/registry';
import { Overlay } from '@authz-service/core/state/overlay';
import { TenantState } from '@authz-service/core/state/tenant-state';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { ChangesetResult, CommitSource } from '@authz-service/sdk/wire';
import { refuse } from '../framework/diagnostics.js';
import type { Log } from '../protocol/log.js';
import { type ChangeCommand, ChangeQueue, type Granted } from './change-queue.js';
import type { FormerOwner, LinkOwner } from './claims.js';
import type { Dangling } from './dangling.js';
import { type Mention, mentionsAmong, type ResourceType } from './dependents.js';
import { Enforcement } from './enforcement.js';
import { Narrowings } from './narrowings.js';
import { PlannedRules } from './planned-rules.js';
import { ReplacedRecords } from './replaced-records.js';
import { RetryPolicy } from './retry-policy.js';
import { isSchema, SchemaFaults } from './schema-faults.js';
import { Records, Snapshot } from './snapshot.js';

/** The provider's configuration. */
export interface Access {
  client: ServiceClient;
  /** Fetches an access token with these scopes, or with all of the client's if none are given. */
  token(scopes: readonly string[], signal: AbortSignal): Promise<IssuedToken>;
  stack: string;
  /** Whether the configuration names its stack; another configuration may use the default one, too. */
  stackIsNamed: boolean;
  /** The known origin of the configuration. */
  origin?: CommitSource | undefined;
  takeOwnership: boolean;
  /** How long each change waits until every agent enforces it; absent if it does not. */
  enforcedWithin?: { ms: number; text: string } | undefined;
  log: Log;
}

export interface IssuedToken {
  accessToken: string;
  /** Milliseconds since the epoch. */
  expiresAtMs: number;
}

/**
 * The tenant that all resources of one process share: they read it once, join their writes, and see what is planned.
 */
export class Service {
  readonly stack: string;
  readonly takeOwnership: boolean;
  readonly client: ServiceClient;
  readonly token: Access['token'];
  /** Set by `configure`, before anything is planned, if the credential has limits. */
  writer: Writer | undefined;
  /** The planned state of this run's resources. */
  readonly declared = new Set<Address>();
  /** Emits `planned` with each record that is planned. */
  readonly arrivals = new EventEmitter().setMaxListeners(0);
  /** Records that mention others of their kind that are not planned yet; `together` says that Terraform certainly plans several at once. */
  readonly unplaced = { waiting: 0, together: false, doubtful: [] as (() => Dangling[])[] };
  readonly schemaFaults = new SchemaFaults();
  /**
   * The records that resources of this run have created or taken over. They belong to this run, whoever else claims
   * them.
   */
  readonly claimed = new Set<Address>();
  /** The addresses of the objects of the state that this run has refreshed. */
  readonly inState = new Set<Address>();
  readonly replaced = new ReplacedRecords();
  /** The records whose removal waits for the creation that takes their place, so that both are one change. */
  readonly heldBack = new Set<Address>();
  /** The fields that types lose in this run, as soon as nothing mentions them any more. */
  readonly narrowings: Narrowings;
  /** The types as the state had them before this run refreshed it, by the address that they have now. */
  readonly typesInState = new Map<Address, ResourceType>();
  /** The records that resources of the state hold and keep in this run, and those that they remove. */
  readonly kept = new Set<Address>();
  readonly removed = new Set<Address>();
  /**
   * The links that resources hold after this run, and those that resources of the state give up, each with its
   * owner: a link can be held by itself or as one of a set.
   */
  readonly links = { listed: new Map<Address, LinkOwner>(), left: new Map<Address, FormerOwner>() };
  /** Deletions under way, with the queue that each waits in. */
  private readonly deletions = new Map<Address, { queue: ChangeQueue; done: Promise<unknown> }>();
  private readonly enforcement: Enforcement | undefined;
  private readonly stackIsNamed: boolean;
  private readonly snapshot: Snapshot;
  private readonly log: Log;
  private readonly queues: { records: ChangeQueue; credentials: ChangeQueue; rules: ChangeQueue; sets: ChangeQueue };
  private known: Records | undefined;
  private view: Promise<Overlay> | undefined;
  private rules: Promise<PlannedRules> | undefined;
  private mentioned: Promise<ReadonlyMap<Address, readonly Mention[]>> | undefined;

  constructor({ client, token, stack, stackIsNamed, origin, takeOwnership, enforcedWithin, log }: Access) {
    this.client = client;
    this.token = token;
    this.stack = stack;
    this.takeOwnership = takeOwnership;
    this.stackIsNamed = stackIsNamed;
    this.log = log;
    this.enforcement = enforcedWithin && new Enforcement(client, enforcedWithin);
    this.narrowings = new Narrowings((owner) => takeOwnership || owner === stack);
    const retries = new RetryPolicy(log);
    this.snapshot = new Snapshot((ifNoneMatch, signal) =>
      retries.run(() => client.state({ ifNoneMatch, signal }), signal),
    );
    const queue = (exclusive = false) =>
      new ChangeQueue({
        exclusive,
        send: (body, idempotencyKey, { stop, giveUp }) =>
          retries.run(() => client.changeset(body, { idempotencyKey, signal: giveUp }), stop),
        exists: (address) => this.known?.get(address) !== undefined,
        compose: (commands, alone) => this.narrowings.compose(commands, this.known ?? NO_RECORDS, alone),
        leftBehind: (along, problem) => this.narrowings.refuse(along, problem),
        done: (commands, result) => this.follow(commands, result),
        stack,
        ...(origin && { origin }),
        takeOwnership,
        log,
      });
    // Credentials and access rules have queues of their own, because change-sets that hold them need scopes of their own.
    // So have sets, whose change-sets may remove links of other stacks.
    this.queues = { records: queue(), credentials: queue(), rules: queue(), sets: queue(true) };
  }

  /** All records, as fetched once and as changed by this process since. */
  async records(signal: AbortSignal): Promise<Records> {
    this.known = await this.snapshot.records(signal);
    return this.known;
  }

  /**
   * Whether an existing record is taken over instead of created. With `take_ownership`, every record is. Without it,
   * only those of the configuration's own stack are, except credentials, whose secret nobody could know.
   */
  takesOver({ kind, managed_by: owner }: StoredRecord): boolean {
    return this.takeOwnership || (this.stackIsNamed && owner === this.stack && !isCredential(kind));
  }

  /** All records as they are now. */
  present(signal: AbortSignal): Promise<Records> {
    return this.snapshot.present(signal);
  }

  /** If it is configured, resolves only once every agent enforces the change. */
  write(kind: Kind, command: ChangeCommand, signal: AbortSignal): Promise<Granted> {
    const granted = this.ask(this.queueOf(kind), command, signal);
    // Agents get nothing of the others, and the secret of a credential must reach the state.
    return mayBeDistributed(kind) ? this.enforced(granted, signal) : granted;
  }

  private queueOf(kind: Kind): ChangeQueue {
    if (kind === 'access_rule') return this.queues.rules;
    return isCredential(kind) ? this.queues.credentials : this.queues.records;
  }

  /** Writes a link of a set that a resource owns whole. */
  writeSet(command: ChangeCommand, signal: AbortSignal): Promise<Granted> {
    return this.enforced(this.ask(this.queues.sets, command, signal), signal);
  }

  /** Resolves once no deletion of these records is under way, whichever resource asked for it. */
  async deleted(addresses: Iterable<Address>): Promise<void> {
    for (const address of addresses) await this.deletions.get(address)?.done;
  }

  /** A deletion in one queue is over before another queue writes the record. */
  private async ask(queue: ChangeQueue, command: ChangeCommand, signal: AbortSignal): Promise<Granted> {
    const { address, change } = command;
    const before = this.deletions.get(address);
    if (before !== undefined && before.queue !== queue) await before.done;
    const granted = queue.ask(command, signal);
    if (change.op !== 'delete') return granted;
    const done = granted.catch(() => {}).then(() => this.deletions.delete(address));
    this.deletions.set(address, { queue, done });
    return granted;
  }

  /** Judges the changes planned so far by access rules. */
  async plannedRules(signal: AbortSignal): Promise<PlannedRules> {
    this.rules ??= this.records(signal).then((records) => new PlannedRules(records));
    return await this.rules;
  }

  private async enforced(granting: Promise<Granted>, signal: AbortSignal): Promise<Granted> {
    const granted = await granting;
    if (granted.revision !== undefined) await this.enforcement?.of(granted.revision, signal);
    return granted;
  }

  /**
   * The records that a planned one is checked against: those of other stacks and those that this process has planned so
   * far. The stack's own records are left out until they are planned, since they may be about to change; not its schemas,
   * without which those of others would seem to say more than they do.
   */
  async judged(signal: AbortSignal): Promise<Overlay> {
    this.view ??= this.records(signal).then((records) => {
      const foreign = [...records.all()].filter((record) => record.managed_by !== this.stack || isSchema(record));
      return new Overlay(new TenantState(foreign));
    });
    return this.view;
  }

  /** Resolves to false with the next record that is planned, and to true if none is for so long. */
  async quiet(ms: number): Promise<boolean> {
    const planned = once(this.arrivals, 'planned', { signal: AbortSignal.timeout(ms) });
    return await planned.then(
      () => false,
      () => true,
    );
  }

  /** The records that mentioned each record when this process first read them. */
  async mentions(signal: AbortSignal): Promise<ReadonlyMap<Address, readonly Mention[]>> {
    this.mentioned ??= this.records(signal).then(mentionsAmong);
    return this.mentioned;
  }

  private follow(commands: readonly ChangeCommand[], { created }: ChangesetResult): void {
    const ids = new Map(created.map(({ address, id }) => [address, id]));
    const removed: Address[] = [];
    const put: StoredRecord[] = [];
    for (const { address, change } of commands) {
      if (change.op === 'delete') removed.push(address);
      if (change.op === 'create') this.claimed.add(address);
      if (change.op !== 'create' && change.op !== 'update') continue;
      const before = this.known?.get(address);
      const kind = change.op === 'create' ? change.kind : before?.kind;
      const id = ids.get(address) ?? before?.id;
      if (kind === undefined || id === undefined) continue;
      put.push(stored(declare(kind, change.fields as Fields<Kind>), id, this.stack));
    }
    this.narrowings.done(commands);
    this.log.log('debug', 'changes made', { count: commands.length });
    this.snapshot.follow(put, removed);
  }
}

const NO_RECORDS = new Records([]);

/** A record of this stack as the service stores it, without its times, which are fetched again where they matter. */
export function stored({ kind, address, fields }: DeclaredRecord, id: string, stack: string): StoredRecord {
  return { kind, address, fields, id, managed_by: stack, created_at: '', updated_at: '', revision: 0 } as StoredRecord;
}

/** Takes the service's place while the provider's configuration waits for other resources. */
export class Pending {
  /** `attribute` is the provider's attribute that is not known yet. */
  constructor(readonly attribute: string) {}
}

/** The result of configuring the provider. */
export type Configured = Service | Pending;

/** The service. Refuses while it is not known which one. */
export function serviceOf(configured: Configured): Service {
  if (configured instanceof Service) return configured;
  const { attribute } = configured;
  throw refuse(
    'Provider configuration not known yet',
    `"${attribute}" of the provider "service" is known only after apply: apply what it depends on first (-target), or give it a known value.`,
  );
}
