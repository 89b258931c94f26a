import { createHash } from 'node:crypto';
import { canonicalJson, type Json, type JsonObject } from '@authz-service/core/json/json';
import { nameText } from '@authz-service/core/records/fields';
import { COLLECTIONS, isCredential, KINDS, type Kind } from '@authz-service/core/records/kinds';
import { definitionOf, type StoredRecord } from '@authz-service/core/records/registry';
import type { TenantState } from '@authz-service/core/state/tenant-state';
import { parserOf } from '@authz-service/pdp/contract/parser-of';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import { REVISION_HEADER } from '@authz-service/pdp/transport/revision-header';
import * as z from 'zod';
import { demand, demandUnlimited, type Grant, scopeToWrite } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { findRecord } from '../commands/find-record.js';
import { filterNames, listRecords } from '../commands/list-records.js';
import { PAST_HEADERS, pastHeaders, pastQuery, tenantAt } from '../commands/tenant-at.js';
import { createRecord, deleteRecord, rotateSecret, updateRecord } from '../commands/write-record.js';
import { pageSchema, paging } from '../http/paging.js';
import { json, matches, versioned } from '../http/reply.js';
import { type BodyRule, chargeCommit, type Route, type SecuredCall, secured } from '../http/route.js';
import { inputSchemas, madeSchemas, patchSchemas, recordSchemas, schemaName } from '../openapi/record-schemas.js';
import { toWire } from '../records/record-wire.js';
import type { CredentialKind } from '../store/store.js';

/** Who a single change is made for. */
const writing = z.strictObject({
  stack: nameText.optional().meta({
    description:
      'The stack that makes the change: it owns what it creates, and changes only its own. Without it the owner is `api`, and nobody is asked; a credential with limits has to name it.',
  }),
});
type Writing = z.output<typeof writing>;

const anyObject = parserOf(z.record(z.string(), z.json()));

/** The routes of every kind: list, create, read, change, delete; and of credentials, to give them another secret. */
export function recordRoutes(cloud: Cloud): Route[] {
  return KINDS.flatMap((kind) => [
    list(cloud, kind),
    create(cloud, kind),
    read(cloud, kind),
    change(cloud, kind),
    remove(cloud, kind),
    ...(kind === 'api_key' || kind === 'oauth_client' ? [rotate(cloud, kind)] : []),
  ]);
}

function list(cloud: Cloud, kind: Kind): Route {
  const names = filterNames(kind);
  const query = z.strictObject({
    ...Object.fromEntries(
      names.map((name) => [name, z.string().optional().meta({ description: 'Only records with this value.' })]),
    ),
    ...pastQuery,
    ...paging,
  });
  return secured({
    method: 'GET',
    path: collection(kind),
    anyOf: readers(kind),
    query: query as unknown as z.ZodType<{ limit: number; cursor?: string; at?: string } & Record<string, string>>,
    operation: {
      id: `list${schemaName(kind)}`,
      summary: `A page of the records of the kind ${kind}.`,
      tag: kind,
      responses: { 200: { description: 'The page.', schema: pageSchema(recordSchemas[kind]), headers: PAST_HEADERS } },
      problems: ['invalid_cursor', 'not_found', 'outside_history'],
    },
    handle: async ({ credential, query: { limit, cursor, at, ...filter }, now }) => {
      const { tenant } = await tenantAt(cloud, { credential, at, now });
      const page = await listRecords(tenant, { kind, filter, limit, at, ...(cursor !== undefined && { cursor }) });
      const uses = at === undefined ? await lastUses(cloud, tenant.id, page.records) : undefined;
      const items = page.records.map((record) => ({
        ...shown(cloud, record, tenant.state, at),
        ...uses?.get(record.id),
      }));
      const next = page.next === undefined ? {} : { next_cursor: page.next };
      return json(200, { items, ...next }, pastHeaders(at, tenant));
    },
  });
}

function create(cloud: Cloud, kind: Kind): Route {
  return secured<Writing, JsonObject>({
    method: 'POST',
    path: collection(kind),
    anyOf: writers(kind),
    query: writing,
    body: jsonBody(inputSchemas[kind]),
    writes: true,
    operation: {
      id: `create${schemaName(kind)}`,
      summary: definitionOf(kind).docs,
      tag: kind,
      responses: {
        201: {
          description: 'The record; for a credential, also its secret, which is shown only once.',
          schema: madeSchemas[kind],
          headers: WRITTEN_HEADERS,
        },
      },
      problems: ['access_rule_violated', 'conflict', 'invalid_records', 'outside_limits'],
    },
    handle: async ({ credential, query, body, requestId, now, charge }) => {
      const { operator, fields } = asOperator(kind, body);
      if (operator) {
        demand(credential, ['operator']);
        demandUnlimited(credential);
      }
      const { record, revision, secret } = await createRecord(cloud, {
        kind,
        body: fields,
        operator,
        ...stackOf(query),
        credential,
        requestId,
        now,
        charge: (changes) => chargeCommit(charge, changes),
      });
      const { state } = await cloud.tenants.get(credential.tenant);
      const { address: _address, id: _id, ...secrets } = secret ?? { address: '', id: '' };
      const headers = {
        etag: etagOf(record),
        location: `${collection(kind)}/${encodeURIComponent(record.id)}`,
        [REVISION_HEADER]: revision,
      };
      return json(201, { ...shown(cloud, record, state), ...secrets }, headers);
    },
  });
}

function read(cloud: Cloud, kind: Kind): Route {
  return secured({
    method: 'GET',
    path: `${collection(kind)}/{id}`,
    anyOf: readers(kind),
    query: z.strictObject(pastQuery),
    operation: {
      id: `read${schemaName(kind)}`,
      summary: `One record of the kind ${kind}, by its id or its percent-encoded path.`,
      tag: kind,
      responses: { 200: { description: 'The record.', schema: recordSchemas[kind], headers: PAST_HEADERS } },
      problems: ['not_found', 'outside_history'],
      headers: {
        'If-None-Match': `The ETag of an earlier answer: 304 while it is the newest${isCredential(kind) ? ', and the credential has never been used' : ''}.`,
      },
    },
    handle: async ({ credential, params, headers, query: { at }, now }) => {
      const { tenant } = await tenantAt(cloud, { credential, at, now });
      const { state } = tenant;
      const record = findRecord(state, kind, params.id ?? '');
      const uses = at === undefined ? await lastUses(cloud, tenant.id, [record]) : undefined;
      const wire = { ...shown(cloud, record, state, at), ...uses?.get(record.id) };
      const body = () => json(200, wire, pastHeaders(at, tenant));
      // The ETag names the record as a write expects it, which a use of the credential does not change.
      const had = uses?.has(record.id) ? undefined : headers['if-none-match'];
      return versioned(had, etagOf(record), body);
    },
  });
}

function change(cloud: Cloud, kind: Kind): Route {
  return secured<Writing, JsonObject>({
    method: 'PATCH',
    path: `${collection(kind)}/{id}`,
    anyOf: writers(kind),
    query: writing,
    body: jsonBody(patchSchemas[kind]),
    writes: true,
    operation: {
      id: `update${schemaName(kind)}`,
      summary: `Change one record of the kind ${kind} by a JSON merge patch (RFC 7396).`,
      tag: kind,
      responses: {
        200: { description: 'The changed record.', schema: recordSchemas[kind], headers: WRITTEN_HEADERS },
      },
      problems: [
        'access_rule_violated',
        'conflict',
        'invalid_records',
        'not_found',
        'not_owner',
        'outside_limits',
        'precondition_failed',
      ],
      headers: IF_MATCH,
    },
    handle: async (call) => {
      const patch = withoutUse(kind, call.body);
      const { record, revision } = await updateRecord(cloud, { ...orderOf(kind, call), patch });
      const { id, state } = await cloud.tenants.get(call.credential.tenant);
      const uses = await lastUses(cloud, id, [record]);
      return json(
        200,
        { ...shown(cloud, record, state), ...uses.get(record.id) },
        { etag: etagOf(record), [REVISION_HEADER]: revision },
      );
    },
  });
}

function remove(cloud: Cloud, kind: Kind): Route {
  return secured<Writing>({
    method: 'DELETE',
    path: `${collection(kind)}/{id}`,
    anyOf: writers(kind),
    query: writing,
    writes: true,
    operation: {
      id: `delete${schemaName(kind)}`,
      summary: `Delete one record of the kind ${kind}.`,
      tag: kind,
      responses: { 204: { description: 'The record has been deleted.', headers: WRITTEN_HEADERS } },
      problems: ['access_rule_violated', 'conflict', 'not_found', 'not_owner', 'outside_limits', 'precondition_failed'],
      headers: IF_MATCH,
    },
    handle: async (call) => {
      const revision = await deleteRecord(cloud, orderOf(kind, call));
      return { status: 204, headers: { [REVISION_HEADER]: revision } };
    },
  });
}

const OVERLAP_SECONDS_MAX = 30 * 24 * 60 * 60;
const rotationSchema = z.strictObject({
  overlap_seconds: z.int().min(0).max(OVERLAP_SECONDS_MAX).default(0).meta({
    description: 'For how long the secret before stays good, and tokens issued for it; by default it ends now.',
  }),
});
const rotatedSchema = z.strictObject({
  former_until: z.iso.datetime().optional().meta({ description: 'Until when the secret before is good.' }),
  secret: z.string().optional().meta({ description: 'The secret of an API key, shown only now.' }),
  client_id: z.string().optional(),
  client_secret: z.string().optional().meta({ description: 'The secret of an OAuth client, shown only now.' }),
});

function rotate(cloud: Cloud, kind: CredentialKind): Route {
  return secured<Writing, z.output<typeof rotationSchema>>({
    method: 'POST',
    path: `${collection(kind)}/{id}/secret`,
    anyOf: writers(kind),
    query: writing,
    body: {
      limitBytes: MIB,
      schema: rotationSchema,
      parse: parserOf(rotationSchema),
      wrongType: 'unsupported_media_type',
    },
    writes: true,
    operation: {
      id: `rotate${schemaName(kind)}`,
      summary: `Give one record of the kind ${kind} another secret, which also turns it on after a restore.`,
      tag: kind,
      responses: {
        201: { description: 'The secret, which is shown only once.', schema: rotatedSchema, headers: WRITTEN_HEADERS },
      },
      problems: [
        ...(kind === 'oauth_client' ? (['invalid_records'] as const) : []),
        'not_found',
        'not_owner',
        'outside_limits',
        'precondition_failed',
      ],
      headers: IF_MATCH,
    },
    handle: async (call) => {
      const overlapSeconds = call.body.overlap_seconds;
      const done = await rotateSecret(cloud, { ...orderOf(kind, call), kind, overlapSeconds });
      const { record, revision, secret, formerUntil } = done;
      call.log.warn({ rotated: record.address, former_until: formerUntil }, 'secret replaced');
      const shownOnce = kind === 'api_key' ? { secret } : { client_id: record.id, client_secret: secret };
      const body = { ...shownOnce, ...(formerUntil !== undefined && { former_until: formerUntil }) };
      return json(201, body, { etag: etagOf(record), [REVISION_HEADER]: revision });
    },
  });
}

/** The change to the record that the path names, with the ETag that the caller knows. */
function orderOf(kind: Kind, { credential, params, query, headers, requestId, now, charge }: SecuredCall<Writing>) {
  const name = params.id ?? '';
  const by = { credential, requestId, now, charge: (changes: number) => chargeCommit(charge, changes) };
  return { kind, ...stackOf(query), ...by, name, isExpected: isExpected(headers['if-match']) };
}

function stackOf({ stack }: Writing): Writing {
  return stack === undefined ? {} : { stack };
}

const WRITTEN_HEADERS = { [REVISION_HEADER]: 'The revision with the change, for `Service-Min-Revision`.' };
const IF_MATCH = {
  'If-Match':
    'The ETag of the record as the caller knows it, or its `revision` in quotes: 412 if the record has changed since.',
};

function collection(kind: Kind): string {
  return `/v1/${COLLECTIONS[kind]}`;
}

function readers(kind: Kind): Grant[] {
  return ['records:read', ...(scopeToWrite(kind) === 'records:write' ? [] : [scopeToWrite(kind)])];
}

function writers(kind: Kind): Grant[] {
  return [scopeToWrite(kind)];
}

function jsonBody(schema: z.ZodType): BodyRule<JsonObject> {
  return {
    limitBytes: MIB,
    schema,
    parse: (value) => anyObject(value) as JsonObject,
    wrongType: 'unsupported_media_type',
  };
}

/** A restored database gives the numbers of revisions again, to other records: the tag hangs on all that the record says. */
function etagOf(record: StoredRecord): string {
  const digest = createHash('sha256')
    .update(canonicalJson(record as unknown as Json))
    .digest('hex');
  return `"${record.revision}.${digest.slice(0, 16)}"`;
}

/** Whether a record is as the caller knows it, by its ETag or by its revision in quotes. */
function isExpected(ifMatch: string | undefined): (record: StoredRecord) => boolean {
  return (record) =>
    ifMatch === undefined || [etagOf(record), `"${record.revision}"`].some((tag) => matches(ifMatch, tag, 'strong'));
}

/**
 * A record as callers see it; for a credential, also whether it is an operator's, which no field contains, and which
 * history does not know.
 */
function shown(cloud: Cloud, record: StoredRecord, state: TenantState, at?: string): JsonObject {
  const wire = toWire(record, state);
  if (at !== undefined) return wire;
  return cloud.credentials.of(record)?.operator ? { ...wire, operator: true } : wire;
}

/** When credentials among the records were last used, by the ids of the records. */
async function lastUses(cloud: Cloud, tenant: string, records: readonly StoredRecord[]) {
  const ids = records.flatMap(({ kind, id }) => (isCredential(kind) ? [id] : []));
  const uses = ids.length > 0 ? await cloud.credentialUses.lastUsed(tenant, ids) : new Map<string, number>();
  return new Map([...uses].map(([id, at]) => [id, { last_used_at: new Date(at).toISOString() }]));
}

/** A patch that repeats when a credential was last used, as it was read. */
function withoutUse(kind: Kind, body: JsonObject): JsonObject {
  if (!isCredential(kind)) return body;
  const { last_used_at: _, ...rest } = body;
  return rest;
}

const operatorOf = parserOf(z.object({ operator: z.boolean().default(false) }));

/** Removes from the body of a new credential whether it should be an operator's, and returns that. */
function asOperator(kind: Kind, body: JsonObject): { operator: boolean; fields: JsonObject } {
  if (!isCredential(kind)) return { operator: false, fields: body };
  const { operator: _, ...fields } = body;
  return { ...operatorOf(body), fields };
}
