import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '@authz-service/core/json/json';
import { ProblemError } from '@authz-service/core/problem';
import { parserOf } from '@authz-service/pdp/contract/parser-of';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import { REVISION_HEADER } from '@authz-service/pdp/transport/revision-header';
import * as z from 'zod';
import type { Credential } from '../auth/credential.js';
import { ownerOf } from '../auth/demand-directory.js';
import type { Cloud } from '../cloud.js';
import type { DirectoryView } from '../directories/directory-view.js';
import { notFound } from '../directories/entry-checks.js';
import { createGroup, deleteGroup, patchGroup, replaceGroup } from '../directories/group-writes.js';
import { JoinedWrites } from '../directories/joined-writes.js';
import { listResources, shownResource } from '../directories/list-resources.js';
import type { Plan } from '../directories/planned-write.js';
import { createUser, deleteUser, patchUser, replaceUser } from '../directories/user-writes.js';
import { versionOf } from '../directories/versions.js';
import { viewNow, whenViewed } from '../directories/view-of.js';
import { matches, type Reply } from '../http/reply.js';
import { type BodyRule, chargeCommit, type Operation, type Route, type SecuredCall, secured } from '../http/route.js';
import { parseFilter, parsePath } from '../scim/attribute-path.js';
import type { PatchOperation } from '../scim/resource.js';
import { SCIM_TYPE } from '../scim/scim-error.js';
import { RESOURCE_TYPES, SCHEMAS, SERVICE_PROVIDER } from '../scim/service-documents.js';
import type { EntryRecord } from '../tenants/entry-index.js';
import type { Tenant } from '../tenants/tenant.js';

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const COUNT = { default: 100, max: 1000 };
/** A group may come with all its members. */
const BODY_BYTES_MAX = 16 * MIB;
const OPERATIONS_MAX = 10_000;

const COLLECTIONS = { User: 'Users', Group: 'Groups' } as const;
type ResourceType = keyof typeof COLLECTIONS;

const resourceSchema = z.record(z.string(), z.json());
const operationSchema = z.object({
  op: z
    .string()
    .transform((op) => op.toLowerCase())
    .pipe(z.enum(['add', 'replace', 'remove'])),
  path: z.string().nullish(),
  value: z.json().optional(),
});
const patchSchema = z.object({ Operations: z.array(operationSchema).min(1).max(OPERATIONS_MAX) });
const answerSchema = z.looseObject({ schemas: z.array(z.string()) });

/** Other parameters are ignored: some clients add their own. */
const shownQuery = z.object({ attributes: z.string().optional(), excludedAttributes: z.string().optional() });
type Shown = z.output<typeof shownQuery>;
const listQuery = shownQuery.extend({
  filter: z.string().optional(),
  sortBy: z.string().optional(),
  sortOrder: z.string().optional(),
  startIndex: z.coerce.number().int().optional(),
  count: z.coerce.number().int().optional(),
});

const WRITTEN_HEADERS = { [REVISION_HEADER]: 'The revision with the change, for `Service-Min-Revision`.' };
const WRITE_PROBLEMS = ['access_rule_violated', 'conflict'] as const;
const ITEM_PROBLEMS = ['not_found', 'precondition_failed'] as const;
const IF_MATCH = { 'If-Match': 'The ETag of the resource as the caller knows it: 412 if it has changed since.' };

/** SCIM 2.0 (RFC 7644) for the directory of an API key. */
export function scimRoutes(cloud: Cloud): Route[] {
  const types = ['User', 'Group'] as const;
  const writing = { cloud, writes: new JoinedWrites() };
  return [
    ...documentRoutes(cloud),
    ...types.flatMap((type) => [
      list(cloud, type),
      read(cloud, type),
      create(writing, type),
      change(writing, type, 'PUT'),
      change(writing, type, 'PATCH'),
      remove(writing, type),
    ]),
  ];
}

type ServiceDocument = { id: string; [name: string]: unknown };

function documentRoutes(cloud: Cloud): Route[] {
  const base = () => `${cloud.publicUrl()}/scim/v2`;
  const document = (path: string, id: string, summary: string, make: (name: string) => object): Route =>
    secured<unknown>({
      method: 'GET',
      path: `/scim/v2/${path}`,
      anyOf: ['directory'],
      query: z.object({}),
      operation: {
        id,
        summary,
        tag: 'scim',
        responses: { 200: { description: 'The document.', schema: answerSchema, type: SCIM_TYPE } },
        ...(path.includes('{') && { problems: ['not_found'] }),
      },
      handle: ({ params }) => scim(200, make(params.id ?? '')),
    });
  const listed = (path: string, resourceType: string, id: string, documents: readonly ServiceDocument[]): Route[] => {
    const shown = (each: ServiceDocument) => ({
      ...each,
      meta: { resourceType, location: `${base()}/${path}/${each.id}` },
    });
    const find = (name: string) => {
      const found = documents.find((each) => each.id.toLowerCase() === name.toLowerCase());
      if (found !== undefined) return shown(found);
      throw new ProblemError('not_found', `There is no ${resourceType} "${name.slice(0, 200)}".`);
    };
    return [
      document(path, `listScim${id}s`, `Each ${resourceType} of this SCIM service.`, () =>
        listOf(documents.map(shown), documents.length, 1),
      ),
      document(`${path}/{id}`, `readScim${id}`, `One ${resourceType} of this SCIM service.`, find),
    ];
  };
  return [
    document('ServiceProviderConfig', 'readScimConfig', 'What this SCIM service can do.', () => ({
      ...SERVICE_PROVIDER,
      meta: { resourceType: 'ServiceProviderConfig', location: `${base()}/ServiceProviderConfig` },
    })),
    ...listed('ResourceTypes', 'ResourceType', 'ResourceType', RESOURCE_TYPES),
    ...listed('Schemas', 'Schema', 'Schema', SCHEMAS),
  ];
}

function list(cloud: Cloud, type: ResourceType): Route {
  return secured<z.output<typeof listQuery>>({
    method: 'GET',
    path: `/scim/v2/${COLLECTIONS[type]}`,
    anyOf: ['directory'],
    query: listQuery,
    operation: {
      id: `listScim${type}s`,
      summary: `A page of the ${type.toLowerCase()}s of the directory.`,
      tag: 'scim',
      responses: { 200: { description: 'The page.', schema: answerSchema, type: SCIM_TYPE } },
    },
    handle: async ({ credential, query, now }) => {
      const { filter, sortBy, sortOrder } = query;
      const startIndex = Math.max(1, query.startIndex ?? 1);
      const order = {
        type,
        filter: filter === undefined ? undefined : parseFilter(filter),
        sortBy,
        descending: sortOrder?.toLowerCase() === 'descending',
        startIndex,
        count: Math.min(COUNT.max, Math.max(0, query.count ?? COUNT.default)),
      };
      return await viewing(cloud, credential, now, async (view) => {
        const { total, records } = await cloud.slicing.run(listResources(view, order), credential.tenant);
        const resources = records.map((record) => resourceOf(cloud, view, record, query));
        return scim(200, listOf(resources, total, startIndex));
      });
    },
  });
}

function read(cloud: Cloud, type: ResourceType): Route {
  return secured<Shown>({
    method: 'GET',
    path: `/scim/v2/${COLLECTIONS[type]}/{id}`,
    anyOf: ['directory'],
    query: shownQuery,
    operation: {
      id: `readScim${type}`,
      summary: `One ${type.toLowerCase()} of the directory.`,
      tag: 'scim',
      responses: resourceAnswer(200, {}),
      problems: ['not_found'],
      headers: { 'If-None-Match': 'The ETag of an earlier answer: 304 while it is the newest.' },
    },
    handle: async ({ credential, params: { id = '' }, query, headers, now }) =>
      await viewing(cloud, credential, now, (view) => {
        const record = (type === 'User' ? view.user(id) : view.group(id)) ?? notFound(type, id);
        const version = versionOf(view, record);
        const had = headers['if-none-match'];
        const etag = `W/${version}`;
        if (had !== undefined && matches(had, version, 'weak')) return { status: 304, headers: { etag } };
        return scim(200, resourceOf(cloud, view, record, query), { etag });
      }),
  });
}

function create(writing: Writing, type: ResourceType): Route {
  return secured<Shown, JsonObject>({
    method: 'POST',
    path: `/scim/v2/${COLLECTIONS[type]}`,
    anyOf: ['directory'],
    query: shownQuery,
    body: resourceBody,
    writes: true,
    operation: {
      id: `createScim${type}`,
      summary: `Make a ${type.toLowerCase()}.`,
      tag: 'scim',
      responses: resourceAnswer(201, WRITTEN_HEADERS),
      problems: [...WRITE_PROBLEMS],
    },
    handle: async (call) => {
      const id = randomUUID();
      const make = type === 'User' ? createUser : createGroup;
      return await written(writing, call, 201, (view) => make(view, call.body, id));
    },
  });
}

function change(writing: Writing, type: ResourceType, method: 'PUT' | 'PATCH'): Route {
  const isUser = type === 'User';
  const replacing = isUser ? replaceUser : replaceGroup;
  const patching = isUser ? patchUser : patchGroup;
  const planOf = (body: unknown, id: string, ifMatch: string | undefined): Plan =>
    method === 'PUT'
      ? (view) => replacing(view, id, body as JsonObject, ifMatch)
      : (view) => patching(view, id, body as PatchOperation[], ifMatch);
  return secured<Shown, unknown>({
    method,
    path: `/scim/v2/${COLLECTIONS[type]}/{id}`,
    anyOf: ['directory'],
    query: shownQuery,
    body: method === 'PUT' ? resourceBody : patchBody,
    writes: true,
    operation: {
      id: `${method === 'PUT' ? 'replace' : 'patch'}Scim${type}`,
      summary: `Change a ${type.toLowerCase()} ${method === 'PUT' ? 'as a whole' : 'by operations, all or none'}.`,
      tag: 'scim',
      responses: resourceAnswer(200, WRITTEN_HEADERS),
      problems: [...WRITE_PROBLEMS, ...ITEM_PROBLEMS],
      headers: IF_MATCH,
    },
    handle: async (call) =>
      await written(writing, call, 200, planOf(call.body, call.params.id ?? '', call.headers['if-match'])),
  });
}

function remove(writing: Writing, type: ResourceType): Route {
  const removing = type === 'User' ? deleteUser : deleteGroup;
  return secured<unknown>({
    method: 'DELETE',
    path: `/scim/v2/${COLLECTIONS[type]}/{id}`,
    anyOf: ['directory'],
    query: z.object({}),
    writes: true,
    operation: {
      id: `deleteScim${type}`,
      summary: `Remove a ${type.toLowerCase()}.`,
      tag: 'scim',
      responses: { 204: { description: 'It is gone.', headers: WRITTEN_HEADERS } },
      problems: [...WRITE_PROBLEMS, ...ITEM_PROBLEMS],
      headers: IF_MATCH,
    },
    handle: async (call) => {
      const { params, headers } = call;
      const { revision } = await joined(writing, call, (view) => removing(view, params.id ?? '', headers['if-match']));
      return { status: 204, headers: { [REVISION_HEADER]: revision } };
    },
  });
}

const resourceBody: BodyRule<JsonObject> = {
  limitBytes: BODY_BYTES_MAX,
  schema: resourceSchema,
  parse: parserOf(resourceSchema) as BodyRule<JsonObject>['parse'],
  wrongType: 'unsupported_media_type',
};
const parsePatch = parserOf(patchSchema);
const patchBody: BodyRule<PatchOperation[]> = {
  limitBytes: BODY_BYTES_MAX,
  schema: z.object({ Operations: z.array(z.looseObject({ op: z.string() })) }),
  parse: (body) =>
    parsePatch(body).Operations.map(({ op, path, value }) => ({
      op,
      ...(typeof path === 'string' && { path }),
      ...(value !== undefined && { value: value as Json }),
    })),
  wrongType: 'unsupported_media_type',
};

function resourceAnswer(status: 200 | 201, headers: Record<string, string>): Operation['responses'] {
  return { [status]: { description: 'The resource.', schema: answerSchema, type: SCIM_TYPE, headers } };
}

interface Writing {
  cloud: Cloud;
  writes: JoinedWrites;
}

type DirectoryCredential = Credential & { directory: string };

function ofDirectory(credential: Credential): DirectoryCredential {
  if (credential.directory === undefined) throw new Error(`the credential ${credential.id} names no directory`);
  return credential as DirectoryCredential;
}

/** Returns the tenant of the credential, whose directory is in use. */
async function used(cloud: Cloud, credential: Credential): Promise<Tenant> {
  const tenant = await cloud.tenants.get(credential.tenant);
  const record = tenant.state.get(ownerOf(ofDirectory(credential).directory));
  if (record !== undefined) cloud.credentialUses.noteDirectory(tenant.id, record.id);
  return tenant;
}

async function viewing(
  cloud: Cloud,
  credential: Credential,
  now: number,
  work: (view: DirectoryView) => Reply | Promise<Reply>,
): Promise<Reply> {
  const { directory } = ofDirectory(credential);
  const tenant = await used(cloud, credential);
  // Clients read at once what they have written, be it by another process.
  await cloud.refresh(tenant);
  return await whenViewed(tenant, () => work(viewNow(tenant, directory, now)));
}

async function joined({ cloud, writes }: Writing, { credential, requestId, now, charge }: SecuredCall, plan: Plan) {
  await used(cloud, credential);
  return await writes.write(cloud, {
    credential: ofDirectory(credential),
    plan,
    requestId,
    now,
    charge: (changes) => chargeCommit(charge, changes),
  });
}

async function written(writing: Writing, call: SecuredCall<Shown>, status: 200 | 201, plan: Plan): Promise<Reply> {
  const { cloud } = writing;
  const { planned, revision } = await joined(writing, call, plan);
  return await viewing(cloud, call.credential, call.now, (view) => {
    const { shown } = planned;
    const record = shown === undefined ? undefined : (view.state.get(shown) as EntryRecord | undefined);
    const id = record?.fields.entry?.id;
    if (record === undefined || id === undefined)
      throw new ProblemError('not_found', 'The resource was written, and is gone since: another request removed it.');
    const headers = {
      etag: `W/${versionOf(view, record)}`,
      [REVISION_HEADER]: revision,
      ...(status === 201 && { location: locationOf(cloud, record, id) }),
    };
    return scim(status, resourceOf(cloud, view, record, call.query), headers);
  });
}

/** A resource with what the cloud sets, and of that what the client wants to see. */
function resourceOf(cloud: Cloud, view: DirectoryView, record: EntryRecord, shown: Shown): JsonObject {
  const excluded = namesIn(shown.excludedAttributes);
  const wanted = namesIn(shown.attributes);
  const isShown = (name: string) =>
    name === 'id' ||
    name === 'schemas' ||
    (wanted.size === 0 ? !excluded.has(name.toLowerCase()) : wanted.has(name.toLowerCase()));
  const withMembers = record.kind === 'group' && isShown('members');
  const resource = shownResource(view, record, withMembers);
  const meta = {
    resourceType: record.kind === 'subject' ? 'User' : 'Group',
    created: record.created_at,
    lastModified: record.updated_at,
    location: locationOf(cloud, record, record.fields.entry?.id ?? ''),
    // That of a group takes a while to make of many members.
    ...((record.kind === 'subject' || withMembers) && { version: `W/${versionOf(view, record)}` }),
  };
  return Object.fromEntries(Object.entries({ ...resource, meta }).filter(([name]) => isShown(name)));
}

/** The attributes in a list, or what holds them, in lower case. */
function namesIn(list = ''): Set<string> {
  const names = list.split(',').flatMap((text) => (text.trim() === '' ? [] : [parsePath(text.trim())]));
  return new Set(names.map(({ urn, name = '' }) => (urn ?? name).toLowerCase()));
}

function locationOf(cloud: Cloud, { kind }: EntryRecord, id: string): string {
  return `${cloud.publicUrl()}/scim/v2/${COLLECTIONS[kind === 'subject' ? 'User' : 'Group']}/${id}`;
}

function listOf(resources: object[], total: number, startIndex: number): object {
  return {
    schemas: [LIST],
    totalResults: total,
    itemsPerPage: resources.length,
    startIndex,
    Resources: resources,
  };
}

function scim(status: number, value: object, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: { type: SCIM_TYPE, content: JSON.stringify(value) } };
}
