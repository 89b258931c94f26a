import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import type { Json, JsonObject } from '../../json/json.js';
import type { Address } from '../../records/address.js';
import type { DeclaredRecord } from '../../records/registry.js';
import type { DecisionRequest } from '../../request.js';
import { ResidualConditions } from '../possible/residual-conditions.js';
import type { Records } from './proposal.js';

/** A request like the one that was denied, which the engine allows with the records as they are. */
export interface OtherRequest {
  /** `ask with a second factor: context.mfa = true`. */
  readonly summary: string;
  /** Values that it sends besides, or instead, by the names that conditions have for them, like `context.mfa`. */
  readonly sends: JsonObject;
}

/** A request that would be allowed with the records as they are. */
export interface AskedOtherwise {
  /** The condition under which a request that says no more of subject, action and resource is allowed, as Service CEL. */
  readonly condition?: string;
  /** At most three; those that send least come first. */
  readonly requests: readonly OtherRequest[];
}

interface Sent {
  readonly root: 'context' | 'subject' | 'resource' | 'action';
  readonly name: string;
  readonly value: Json;
}

const REQUESTS_MAX = 3;
/** Requests that are tried with two values at once. */
const PAIRS_MAX = 4000;

/** Partial evaluation of a tenant's policies in the engine's present state. */
export function remainingConditions(engine: CompiledEngine, records: Records): ResidualConditions {
  const policies = new Map<Address, DeclaredRecord<'policy'>['fields']>();
  for (const { kind, address, fields } of records.values()) if (kind === 'policy') policies.set(address, fields);
  return new ResidualConditions(engine, policies);
}

/** Finds requests that are allowed with other context, or with properties that are not recorded. */
export function askedOtherwise(
  remaining: ResidualConditions,
  request: DecisionRequest,
  now: number,
  isAllowed: (request: DecisionRequest) => boolean,
): AskedOtherwise {
  const condition = remaining.of(request, now);
  if (condition === undefined) return { requests: [] };
  const single = remaining
    .choicesOf(request, now)
    .flatMap(({ root, name, values }) => values.map((value): Sent => ({ root, name, value })))
    .sort((left, right) => rankOf(left) - rankOf(right));
  const allows = (sent: readonly Sent[]) => isAllowed(withSent(request, sent));
  const found: Sent[][] = [];
  const known = new Set<string>();
  const add = (sent: Sent[]) => {
    // One value of what is sent is enough to show what helps.
    const key = sent.map(labelOf).join(' ');
    if (found.length === REQUESTS_MAX || known.has(key) || !allows(sent)) return;
    known.add(key);
    found.push(sent);
  };
  for (const one of single) add([one]);
  if (found.length === 0) {
    let tried = 0;
    for (const [at, one] of single.entries())
      for (const other of single.slice(at + 1))
        if (labelOf(one) !== labelOf(other) && ++tried <= PAIRS_MAX) add([one, other]);
  }
  return { condition, requests: found.map(asRequest) };
}

/** Orders requests by how easily callers can make them; they cannot choose the time. */
function rankOf({ root, name, value }: Sent): number {
  if (root !== 'context') return 3;
  if (name === 'mfa') return value === true ? 0 : 4;
  return name === 'time' ? 2 : 1;
}

function labelOf({ root, name }: Sent): string {
  return root === 'context' ? `context.${name}` : `${root}.properties.${name}`;
}

/** The request with what another one sends besides. */
export function asking(request: DecisionRequest, { sends }: OtherRequest): DecisionRequest {
  const sent = Object.entries(sends).map(([label, value]): Sent => {
    const [, root = '', name = ''] = /^(\w+)(?:\.properties)?\.(.*)$/.exec(label) ?? [];
    return { root: root as Sent['root'], name, value };
  });
  return withSent(request, sent);
}

function withSent(request: DecisionRequest, sent: readonly Sent[]): DecisionRequest {
  const of = (root: Sent['root']) =>
    Object.fromEntries(sent.flatMap((one) => (one.root === root ? [[one.name, one.value]] : [])));
  const properties = (root: 'subject' | 'resource' | 'action') => ({
    ...request[root],
    properties: { ...request[root].properties, ...of(root) },
  });
  return {
    ...request,
    subject: properties('subject') as DecisionRequest['subject'],
    action: properties('action') as DecisionRequest['action'],
    resource: properties('resource') as DecisionRequest['resource'],
    context: { ...request.context, ...of('context') },
  };
}

const WORDS: { readonly [label: string]: string } = {
  'context.mfa': 'with a second factor',
  'context.ip': 'from another address',
  'context.time': 'at another time',
};

function asRequest(sent: readonly Sent[]): OtherRequest {
  const parts = sent.map((one) => {
    const label = labelOf(one);
    const value = `${label} = ${JSON.stringify(one.value)}`;
    const words = label === 'context.mfa' && one.value !== true ? undefined : WORDS[label];
    return words === undefined ? `with ${value}` : `${words}: ${value}`;
  });
  return {
    summary: `ask ${parts.join(' and ')}`,
    sends: Object.fromEntries(sent.map((one) => [labelOf(one), one.value])),
  };
}
