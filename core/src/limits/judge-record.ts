import type { Address } from '../records/address.js';
import type { Fault } from '../records/issue-faults.js';
import type { Limits } from '../records/limits.js';
import { type DeclaredRecord, definitionOf, type StoredRecord } from '../records/registry.js';
import { limitsText, namesText } from './limits-text.js';
import { withinLimits } from './within-limits.js';
import type { Writer } from './writer.js';

/** A record and who owns it: all of it that limits are judged by. */
export type OwnedRecord = DeclaredRecord & Pick<StoredRecord, 'managed_by'>;

/** Records by address, with their owners. */
export interface OwnedView {
  get(address: Address): OwnedRecord | undefined;
}

const UNLIMITED = 'use a credential without that limit.';

/**
 * All that keeps a limited writer from a record, as it is before a change or as it would be after it. `view` holds the
 * records of the same side. What the record mentions must exist there: mentions that lead nowhere are judged elsewhere.
 */
export function judgeRecord(record: OwnedRecord, view: OwnedView, writer: Writer): Fault[] {
  const { stacks } = writer.limits;
  const faults: Fault[] = [];
  if (stacks !== undefined && !stacks.includes(record.managed_by)) {
    faults.push({
      pointer: '',
      detail: `"${record.address}" belongs to the stack "${record.managed_by}", and the credential "${writer.name}" is limited to ${namesText('stack', stacks)}: leave it to that stack, or ${UNLIMITED}`,
    });
  }
  return [
    ...faults,
    ...priorityFaults(record, writer),
    ...homeFaults(record, writer),
    ...judgeUses(record, view, writer),
  ];
}

/** Returns what keeps a writer from removing a link that somebody else hung onto the writer's own records. */
export function judgeForeignLink(link: OwnedRecord, view: OwnedView, writer: Writer): Fault[] {
  const { grants } = definitionOf(link.kind);
  return judgeUses(link, view, writer).filter(({ pointer }) => pointer === `/${grants}`);
}

/** Returns what keeps a writer from the records that this one covers, grants, includes, or hangs on. */
function judgeUses(record: OwnedRecord, view: OwnedView, writer: Writer): Fault[] {
  const { applications } = writer.limits;
  if (applications === undefined) return [];
  const { references } = definitionOf(record.kind);
  const faults: Fault[] = [];
  for (const { pointer, target, free } of references(record.fields)) {
    const used = free === true ? undefined : view.get(target);
    if (used === undefined || isOwn(used, writer.limits) || isShared(used, view, writer.limits)) continue;
    const remedy = isShareable(used)
      ? `have its owner list one of these in its shared_with, or ${UNLIMITED}`
      : UNLIMITED;
    const detail = `"${record.address}" uses "${used.address}", which ${placeText(used, writer)}: ${remedy}`;
    faults.push({ pointer, detail });
  }
  return faults;
}

/** Whether a record lies in the applications of the limits; of one that is in no application, whether its stack is theirs. */
export function isOwn(record: OwnedRecord, { stacks, applications }: Limits): boolean {
  const home = homeOf(record);
  if (typeof home === 'object') return applications?.includes(home.application) ?? true;
  return home === 'stack' && (stacks?.includes(record.managed_by) ?? false);
}

/** Whether the owner of a record, or of a resource's type, shares it with the applications of the limits. */
function isShared(record: OwnedRecord, view: OwnedView, { applications = [] }: Limits): boolean {
  const type = record.kind === 'resource' ? view.get(`resource_type/${record.fields.type}`) : undefined;
  return [record, type].some((sharer) => {
    const shared = sharer !== undefined && 'shared_with' in sharer.fields ? sharer.fields.shared_with : undefined;
    return shared?.some((application) => applications.includes(application)) ?? false;
  });
}

function isShareable({ kind }: OwnedRecord): boolean {
  return 'shared_with' in definitionOf(kind).schema.shape;
}

function homeFaults(record: OwnedRecord, writer: Writer): Fault[] {
  const home = homeOf(record);
  if (home === 'limits') return limitFaults(record, writer);
  if (home === 'rules') {
    const detail = `"${record.address}" says what must hold in the whole tenant, and the credential "${writer.name}" is limited to ${limitsText(writer.limits)}: ${UNLIMITED}`;
    return [{ pointer: '', detail }];
  }
  if (writer.limits.applications === undefined || home === 'grant' || isOwn(record, writer.limits)) return [];
  return [{ pointer: '', detail: `"${record.address}" ${placeText(record, writer)}: ${UNLIMITED}` }];
}

function homeOf({ kind, fields }: OwnedRecord) {
  return definitionOf(kind).home?.(fields) ?? 'tenant';
}

/** Says where a record lies, and why that is outside. */
function placeText(record: OwnedRecord, { name, limits: { stacks, applications = [] } }: Writer): string {
  const limited = `and the credential "${name}" is limited to`;
  const home = homeOf(record);
  if (typeof home === 'object')
    return `lies in the application "${home.application}", ${limited} ${namesText('application', applications)}`;
  if (home !== 'stack') return `belongs to the tenant, ${limited} ${namesText('application', applications)}`;
  const whose =
    stacks === undefined ? `${namesText('application', applications)} and to no stack` : namesText('stack', stacks);
  return `lies in no application and belongs to the stack "${record.managed_by}", ${limited} ${whose}`;
}

function priorityFaults(record: OwnedRecord, { name, limits: { priority_max: most } }: Writer): Fault[] {
  if (record.kind !== 'policy' || most === undefined || record.fields.priority <= most) return [];
  const detail = `"${record.address}" has the priority ${record.fields.priority}, and the credential "${name}" is limited to priorities up to ${most}: lower it, or ${UNLIMITED}`;
  return [{ pointer: '/priority', detail }];
}

function limitFaults(record: OwnedRecord, { name, limits }: Writer): Fault[] {
  const held = record.kind === 'api_key' || record.kind === 'oauth_client' ? record.fields.limits : undefined;
  if (withinLimits(held, limits)) return [];
  const has = held === undefined ? 'has no limits' : `is limited to ${limitsText(held)}`;
  const detail = `"${record.address}" ${has}, which is not within those of the credential "${name}" (${limitsText(limits)}): give it limits within these, or use a credential that has fewer.`;
  return [{ pointer: '/limits', detail }];
}
