import type { Change } from '@authz-service/core/state/change';
import type { Random } from '../random.js';
import { malformed } from './bodies.js';
import type { Probe, Reply } from './exchange.js';

/** A tenant in which alice may read INV-1, and approve it within a limit, and nobody may do anything else. */
export const TENANT: Change[] = [
  { op: 'create', kind: 'application', fields: { name: 'billing' } },
  {
    op: 'create',
    kind: 'resource_type',
    fields: { application: 'billing', name: 'invoice', actions: ['read', 'approve'] },
  },
  { op: 'create', kind: 'resource', fields: { type: 'billing/invoice', name: 'INV-1' } },
  ...['alice', 'mallory'].map((id): Change => ({ op: 'create', kind: 'subject', fields: { type: 'user', id } })),
  ...[
    { name: 'read', actions: ['read'] },
    {
      name: 'approve',
      actions: ['approve'],
      condition: 'context.limit > 100',
      modifiers: { ip_ranges: ['10.0.0.0/8'] },
    },
  ].map((policy): Change => {
    const fields = { application: 'billing', effect: 'ALLOW', resource_type: 'billing/invoice', ...policy };
    return { op: 'create', kind: 'policy', fields };
  }),
  ...['read', 'approve'].map((policy): Change => {
    const fields = { policy: `billing/${policy}`, entity_type: 'subject', entity: 'user/alice' };
    return { op: 'create', kind: 'policy_assignment', fields };
  }),
];

const question = (random: Random) => ({
  subject: { type: 'user', id: random.pick(['alice', 'mallory', 'mallory']), properties: { a: 1 }, roles: ['none'] },
  resource: { type: 'invoice', name: random.pick(['INV-1', 'INV-2']), properties: { amount: 5 } },
  action: { name: random.pick(['read', 'read', 'approve', 'delete']), properties: {} },
  context: { limit: 500, ip: '10.1.2.3', time: '2026-01-01T00:00:00Z', mfa: true },
});

const batch = (random: Random) => {
  const { subject, action, context } = question(random);
  const evaluations = Array.from({ length: random.below(4) }, () => {
    const { resource, ...rest } = question(random);
    return random.chance(0.5) ? { resource } : { resource, ...rest };
  });
  const evaluations_semantic = random.pick(['execute_all', 'deny_on_first_deny', 'permit_on_first_permit']);
  return { subject, action, context, evaluations, options: { evaluations_semantic } };
};

const page = { limit: 2, token: '' };
const GOOD: { [path: string]: (random: Random) => object } = {
  '/v1/authorize': question,
  '/access/v1/evaluation': question,
  '/access/v1/evaluations': batch,
  '/access/v1/search/subject': (random) => ({ ...question(random), subject: { type: 'user' }, page }),
  '/access/v1/search/resource': (random) => ({ ...question(random), resource: { type: 'invoice' }, page }),
  '/access/v1/search/action': (random) => {
    const { subject, resource, context } = question(random);
    return { subject, resource, context, page };
  },
};
export const DECISION_PATHS = Object.keys(GOOD);

const TYPES = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'json',
  '*/*',
  '',
  'a'.repeat(500),
];

/** A decision request, mostly malformed in its body, its content type or its headers. */
export function decisionProbe(random: Random): Probe {
  const path = random.pick(DECISION_PATHS);
  const body = malformed(random, GOOD[path]?.(random) ?? {});
  const headers: Probe['headers'] = { 'content-type': 'application/json', 'content-length': body.length };
  if (random.chance(0.05)) headers['content-type'] = random.pick(TYPES);
  if (random.chance(0.03)) delete headers['content-type'];
  if (random.chance(0.03)) headers['content-encoding'] = random.pick(['gzip', 'br', 'identity', 'x']);
  if (random.chance(0.1)) headers['x-request-id'] = random.pick(['r-1', '\u00e9', '"', 'a'.repeat(4_000), '{}', '\t']);
  return { method: 'POST', path, headers, body };
}

/** Returns the questions of a body, read as strictly as can be: own members, of the right types. */
function itemsOf(body: Buffer, batched: boolean): unknown[] {
  let root: unknown;
  try {
    root = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return [];
  }
  const items = own(root, 'evaluations');
  if (!batched || !Array.isArray(items) || items.length === 0) return [root];
  return items.map((item) => ({
    ...Object.fromEntries(['subject', 'action', 'resource', 'context'].map((name) => [name, own(root, name)])),
    ...(typeof item === 'object' ? item : {}),
  }));
}

function own(value: unknown, ...names: string[]): unknown {
  let found = value;
  for (const name of names) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as { [name: string]: unknown })[name];
  }
  return found;
}

const bySubject = (item: unknown) => own(item, 'subject', 'type') === 'user' && own(item, 'subject', 'id') === 'alice';
const ofInvoices = (item: unknown) => ['invoice', 'billing/invoice'].includes(String(own(item, 'resource', 'type')));

function mayGrant(item: unknown): boolean {
  const action = own(item, 'action', 'name');
  if (!bySubject(item) || !ofInvoices(item)) return false;
  if (action === 'read') return true;
  return (
    action === 'approve' &&
    Number(own(item, 'context', 'limit')) > 100 &&
    /^10\./.test(String(own(item, 'context', 'ip')))
  );
}

/** Why the reply to a decision probe is wrong; undefined where it is not. */
export function faultOf({ path, body = Buffer.alloc(0) }: Probe, reply: Reply): string | undefined {
  if (reply.status !== 200) return refusalFault(reply, itemsOf(body, path.endsWith('s')));
  const answer = JSON.parse(reply.text);
  const items = itemsOf(body, path === '/access/v1/evaluations');
  if (path.includes('search')) return searchFault(path, items[0], answer.results);
  const answers: { decision: unknown }[] = answer.evaluations ?? [answer];
  for (const [index, { decision }] of answers.entries()) {
    if (typeof decision !== 'boolean') return 'an answer without a decision';
    if (decision && !mayGrant(items[index])) return `a grant to question ${index}`;
  }
  return undefined;
}

function searchFault(
  path: string,
  item: unknown,
  results: { type: string; id: string; name: string }[],
): string | undefined {
  const kind = path.split('/').at(-1);
  if (results.length === 0) return undefined;
  if (!ofInvoices(item)) return `${kind}s found of another type`;
  if (kind === 'subject') return results.every(({ id }) => id === 'alice') ? undefined : 'another subject found';
  return bySubject(item) ? undefined : `${kind}s found for another subject`;
}

/** Every refusal is a problem document; only an evaluation that a value of the caller's makes fail is a 500. */
function refusalFault({ status, type, text }: Reply, items: unknown[]): string | undefined {
  if (type !== 'application/problem+json') return `a ${status} of type "${type}"`;
  const { code } = JSON.parse(text);
  if (typeof code !== 'string') return `a ${status} without a code`;
  if (status < 500) return undefined;
  const evaluated = code === 'evaluation_failed' && items.some((item) => own(item, 'action', 'name') === 'approve');
  return evaluated ? undefined : `a ${status}: ${text}`;
}

/** Returns what cloud and agent must have in common in their replies: of two faults in a request, each may tell its own. */
export function gist({ status, text }: Reply): string {
  if (status !== 200) return status < 500 ? 'refused' : `${status}`;
  const { decision, evaluations, results } = JSON.parse(text);
  return JSON.stringify({
    decision,
    evaluations: evaluations?.map((one: { decision: boolean }) => one.decision),
    results,
  });
}
