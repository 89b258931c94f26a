import { eachInSteps } from '../concurrency/time-slicing.js';
import { readsOf } from '../conditions/residual/reads.js';
import { canonicalJson, type Json, type JsonObject } from '../json/json.js';
import { type Address, encodeSegment, splitAddress } from '../records/address.js';
import { EVERYONE } from '../records/everyone.js';
import type { Fault } from '../records/issue-faults.js';
import type { Kind } from '../records/kinds.js';
import { type DeclaredRecord, definitionOf } from '../records/registry.js';
import { suspensionOf } from '../records/suspension.js';
import { maySpeakOf } from './console-rights.js';
import { grantedBy } from './foreign-link.js';
import type { OwnedRecord, OwnedView } from './judge-record.js';
import { limitsText } from './limits-text.js';
import type { Writer } from './writer.js';

/** The application whose records say who may look at and edit the console. */
export const PROTECTED_APPLICATION = 'service-console';

/** Links looked at in one step. */
const STEP = 256;

/** Who must not decide over the console: a writer with limits, or somebody who is signed in there. */
export type ConsoleWriter = Writer | 'session';

type PolicyRecord = Extract<OwnedRecord, { kind: 'policy' }>;
type SubjectRecord = Extract<OwnedRecord, { kind: 'subject' }>;

interface LinkedView extends OwnedView {
  inbound(address: Address, kind?: Kind): Iterable<Address>;
  addresses(kind: Kind): Iterable<Address>;
}

/**
 * Whether records decide over the console, in one view. Who edits there writes records without limits, so that a writer
 * who is limited, but not to applications, would get rid of its limits by these, and who edits there would make others
 * do so. Answers about what links give are kept.
 */
export class ConsoleJudge {
  readonly #view: LinkedView;
  readonly #known = new Map<Address, boolean>();
  /** The subjects of persons whom clients name. */
  #persons: Set<string> | undefined;
  #below: boolean | undefined;
  #policies: ReadonlyMap<Address, PolicyRecord> | undefined;
  #subjectReads: { readonly all: boolean; readonly names: ReadonlySet<string> } | undefined;

  constructor(view: LinkedView) {
    this.#view = view;
  }

  /** `other` is the record as it was before, or is after; undefined where it comes or goes. */
  *judge(record: OwnedRecord, writer: ConsoleWriter, other: OwnedRecord | undefined): Generator<undefined, Fault[]> {
    if (!(yield* this.#decides(record, other))) return [];
    const why =
      writer === 'session'
        ? `it cannot be changed in the console: change it with a credential, through the API or from Git, or in the console with one whose limits name the application "${PROTECTED_APPLICATION}".`
        : `the credential "${writer.name}" is limited to ${limitsText(writer.limits)}: use a credential without limits, or one whose limits name the application "${PROTECTED_APPLICATION}".`;
    return [{ pointer: '', detail: `"${record.address}" decides who may use the console, and ${why}` }];
  }

  *#decides(record: OwnedRecord, other: OwnedRecord | undefined): Generator<undefined, boolean> {
    if (isOfConsole(record)) return true;
    if (this.#view.get(`application/${PROTECTED_APPLICATION}`) === undefined) return false;
    if (record.kind === 'subject') {
      if (this.#readsChange(record, other)) return true;
      if (isSuspendedAnew(record, other) && (this.#isPerson(record) || (yield* this.#isAllowed(record)))) return true;
    }
    for (const target of [...handedOnBy(record), ...ownPower(record, other)]) {
      if (target.startsWith('resource/') && !this.#liesBelow()) continue;
      const gives = this.#known.get(target) ?? (yield* this.#givesConsole(target));
      this.#known.set(target, gives);
      if (gives) return true;
    }
    return false;
  }

  /** Whether a client gives rights in the console to a person of the id of a subject. */
  #isPerson({ fields }: SubjectRecord): boolean {
    if (this.#persons === undefined) {
      this.#persons = new Set();
      for (const address of this.#view.addresses('oauth_client')) {
        const client = this.#view.get(address);
        if (client?.kind === 'oauth_client' && client.fields.person) this.#persons.add(client.fields.person.subject);
      }
    }
    return this.#persons.has(fields.id);
  }

  /** Whether policies that decide over the console speak of a subject: by its own links, and as one of everyone. */
  *#isAllowed(subject: SubjectRecord): Generator<undefined, boolean> {
    const everyone = ['*', encodeSegment(subject.fields.type)].map((entity) => `${EVERYONE}/${entity}` as Address);
    const acting = new Set([subject.address, ...everyone]);
    for (const address of acting) {
      const record = this.#view.get(address);
      if (record !== undefined) for (const target of handedOnBy(record)) acting.add(target);
      yield* eachInSteps(this.#view.inbound(address), STEP, (source) => {
        const by = this.#view.get(source);
        if (by !== undefined && holderOf(by) === address) for (const target of handedOnBy(by)) acting.add(target);
      });
    }
    const console = { acting, application: PROTECTED_APPLICATION, resourceType: 'console' };
    return [...this.#deciding()].some(
      ([address, policy]) => acting.has(address) && maySpeakOf(policy, subject, console),
    );
  }

  /** Whether a condition of a policy that decides over the console reads a property of a subject that changes. */
  #readsChange(subject: OwnedRecord, other: OwnedRecord | undefined): boolean {
    this.#subjectReads ??= this.#readOfSubjects();
    const [one, two] = [subject, other].map((record) => (record as DeclaredRecord<'subject'>)?.fields.properties ?? {});
    const names = this.#subjectReads.all ? Object.keys({ ...one, ...two }) : this.#subjectReads.names;
    return [...names].some((name) => memberText(one, name) !== memberText(two, name));
  }

  #readOfSubjects(): { readonly all: boolean; readonly names: ReadonlySet<string> } {
    const names = new Set<string>();
    let all = false;
    for (const { fields } of this.#deciding().values()) {
      const { subjectProperties } = readsOf(fields);
      all ||= subjectProperties === undefined;
      for (const name of subjectProperties ?? []) names.add(name);
    }
    return { all, names };
  }

  /** The policies that decide over the console: its own, and those on all below something that its resources lie in. */
  #deciding(): ReadonlyMap<Address, PolicyRecord> {
    if (this.#policies !== undefined) return this.#policies;
    const seen = new Set<Address>([`application/${PROTECTED_APPLICATION}`]);
    const found = new Map<Address, PolicyRecord>();
    for (const address of seen) {
      const record = this.#view.get(address);
      if (record?.kind === 'policy') found.set(address, record);
      if (record?.kind === 'application' || record?.kind === 'resource_type')
        for (const source of this.#view.inbound(address)) seen.add(source);
      if (record?.kind !== 'resource') continue;
      for (const parent of record.fields.parents ?? []) seen.add(`resource/${parent}`);
      for (const source of this.#view.inbound(address, 'policy')) seen.add(source);
    }
    for (const [address, policy] of found)
      if (!isOfConsole(policy) && !handedOnBy(policy).some((target) => seen.has(target))) found.delete(address);
    this.#policies = found;
    return found;
  }

  /** Whether resources of the console can lie below others. */
  #liesBelow(): boolean {
    this.#below ??= [...this.#view.inbound(`application/${PROTECTED_APPLICATION}`)].some((source) => {
      const type = this.#view.get(source);
      return type?.kind === 'resource_type' && type.fields.parents !== undefined;
    });
    return this.#below;
  }

  /** Whether whoever holds a role or policy, is in a group or is a subject is given something of the console by that. */
  *#givesConsole(start: Address): Generator<undefined, boolean> {
    const seen = new Set([start]);
    for (const address of seen) {
      const record = this.#view.get(address);
      if (record === undefined) continue;
      if (isOfConsole(record)) return true;
      for (const target of handedOnBy(record)) seen.add(target);
      let isAskedFor = false;
      yield* eachInSteps(this.#view.inbound(address), STEP, (source) => {
        const by = this.#view.get(source);
        if (by === undefined) return;
        // A condition of a policy that decides over the console may ask for it.
        if (record.kind !== 'resource' && this.#deciding().has(source)) isAskedFor = true;
        if (by.kind === 'resource' && record.kind === 'resource') seen.add(source);
        if (holderOf(by) === address) for (const target of handedOnBy(by)) seen.add(target);
      });
      if (isAskedFor) return true;
    }
    return false;
  }
}

function memberText(properties: JsonObject | undefined, name: string): string | undefined {
  if (properties === undefined || !Object.hasOwn(properties, name)) return undefined;
  return canonicalJson(properties[name] as Json);
}

/** Lists what a record gives to its holders and receivers: the roles that a role includes, what a link grants, or what lies below. */
function handedOnBy(record: OwnedRecord): Address[] {
  if (record.kind === 'role') return (record.fields.includes ?? []).map((path) => `role/${path}`);
  if (record.kind === 'policy') {
    const below = record.fields.resources?.filter((covered) => covered.below === true) ?? [];
    return below.map(({ resource }) => `resource/${resource}` as const);
  }
  return [grantedBy(record) ?? []].flat();
}

/**
 * The record itself where a change of it may hand on what it leads to: a role, a group or what others lie in. A subject does
 * so by a rename, since people are subjects by their names, and as it is suspended or reinstated.
 */
function ownPower(record: OwnedRecord, other: OwnedRecord | undefined): Address[] {
  const { kind, address } = record;
  const hands = kind === 'role' || kind === 'group' || kind === 'resource';
  const changes = kind === 'subject' && (isRenamed(record, other) || isSuspendedAnew(record, other));
  return hands || changes ? [address] : [];
}

function isRenamed({ address }: OwnedRecord, other: OwnedRecord | undefined): boolean {
  return other !== undefined && other.address !== address;
}

function isSuspendedAnew(subject: OwnedRecord, other: OwnedRecord | undefined): boolean {
  const [one, two] = [subject, other].map((record) => suspensionOf(record?.kind === 'subject' ? record.fields : {}));
  return canonicalJson({ ...one }) !== canonicalJson({ ...two });
}

/** The role or group that receives by a link. */
function holderOf({ fields }: OwnedRecord): Address | undefined {
  return 'entity_type' in fields && 'entity' in fields ? `${fields.entity_type}/${fields.entity}` : undefined;
}

/** Whether a record lies in the application or uses something of it; or is a credential that may write it. */
function isOfConsole({ kind, fields, address }: OwnedRecord): boolean {
  if (kind === 'api_key' || kind === 'oauth_client')
    return fields.limits?.applications?.includes(PROTECTED_APPLICATION) ?? false;
  if (address === `application/${PROTECTED_APPLICATION}`) return true;
  return definitionOf(kind)
    .references(fields)
    .some(({ target, free }) => free !== true && splitAddress(target).path.split('/')[0] === PROTECTED_APPLICATION);
}
