import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import type { Page } from '@authz-service/core/access/search/page';
import type { FoundAction, FoundEntity, SearchQuestion } from '@authz-service/core/access/search/question';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import { finished } from '@authz-service/core/concurrency/time-slicing';
import type { JsonObject } from '@authz-service/core/json/json';
import type { Manifest } from '@authz-service/core/manifest/manifest';
import { ProblemError } from '@authz-service/core/problem';
import { type FilterQuestion as CoreFilterQuestion, filterRows } from '@authz-service/core/questions/filter/row-filter';
import { address, names, splitAddress } from '@authz-service/core/records/address';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import type { Decision } from '@authz-service/sdk/decision';
import type { Filter, FilterQuestion } from '@authz-service/sdk/filter';
import type { ActionQuestion, DecisionQuestion, ResourceQuestion, SubjectQuestion } from '@authz-service/sdk/question';
import type { RecordCollection, RecordFilter } from '@authz-service/sdk/records';
import type { SearchOptions } from '@authz-service/sdk/search';
import type { Kind, WireRecord } from '@authz-service/sdk/wire';
import { loadGitTree } from '../tree/load-tree.js';

type Sent = { properties?: unknown; attributes?: unknown };

/** Answers from the records of a tree, as the service would that has only these. */
export class TreeClient {
  readonly #engine: CompiledEngine;
  readonly #search: TenantSearch;

  constructor(
    readonly url: string,
    readonly manifest: Manifest,
    private readonly now: number,
  ) {
    this.#engine = compileEngine(this.stored());
    this.#search = new TenantSearch(this.#engine);
  }

  /** The tree at a Git revision; warnings go to `warn`. */
  static async read(spec: string, warn: (text: string) => Promise<void>): Promise<TreeClient> {
    const { manifest } = await loadGitTree(spec, warn);
    if (manifest.external.length > 0) {
      await warn(
        `"${spec}" mentions ${manifest.external.length} records of other stacks, of which it does not say more.`,
      );
    }
    return new TreeClient(spec, manifest, Date.now());
  }

  /** The records as a service would store them: addresses stand for the ids that it would give. */
  stored(): StoredRecord[] {
    const { records, stack } = this.manifest;
    const server = { managed_by: stack, created_at: '', updated_at: '', revision: 0 };
    return records.map((record) => ({ ...record, ...server, id: record.address }) as StoredRecord);
  }

  async decide(question: DecisionQuestion): Promise<Decision> {
    const request = requestOf(question);
    const explained = question.options?.explain ? this.#engine.explain(request, this.now) : undefined;
    const { decision, reason, access_path, policy_id } = explained ?? this.#engine.decide(request, this.now);
    const explanation = explained && {
      candidates: explained.candidates,
      ...(explained.uncounted_roles && { uncounted_roles: explained.uncounted_roles }),
      ...(explained.uncounted_properties && { uncounted_properties: explained.uncounted_properties }),
    };
    const context = { reason, access_path, ...(policy_id && { policy_id }), ...(explanation && { explanation }) };
    return { allowed: decision, decided: true, context };
  }

  searchSubjects(
    { subject, resource, action, context }: SubjectQuestion,
    options?: SearchOptions,
  ): AsyncGenerator<FoundEntity> {
    const { type, roles } = subject;
    const any = { type, ...propertiesOf(subject), ...(roles && { roles }) };
    return this.#found({ kind: 'subject', subject: any, ...partsOf({ resource, action, context }) }, options);
  }

  searchResources(
    { subject, resource, action, context }: ResourceQuestion,
    options?: SearchOptions,
  ): AsyncGenerator<FoundEntity> {
    const any = { type: resource.type, ...propertiesOf(resource) };
    return this.#found({ kind: 'resource', resource: any, ...partsOf({ subject, action, context }) }, options);
  }

  async filterRows({ subject, resource, action, context, options }: FilterQuestion): Promise<Filter> {
    const any = { type: resource.type, ...propertiesOf(resource) };
    const question = { resource: any, ...partsOf({ subject, action, context }) } as CoreFilterQuestion;
    const mayBePartial = options?.partial === 'ask';
    const { filter, partial, policies } = filterRows(this.#engine, question, this.now, mayBePartial);
    return { ...filter, ...(partial && { partial }), ...(options?.explain && { explanation: { policies } }) };
  }

  searchActions({ subject, resource, context }: ActionQuestion, options?: SearchOptions): AsyncGenerator<FoundAction> {
    return this.#found({ kind: 'action', ...partsOf({ subject, resource, context }) }, options);
  }

  records<K extends Kind>(kind: K): Pick<RecordCollection<K>, 'list' | 'get'> {
    const { manifest } = this;
    async function* list(filter: RecordFilter = {}): AsyncGenerator<WireRecord<K>, void, undefined> {
      for (const record of manifest.records) {
        const wire = record.kind === kind ? wireOf(record, manifest.stack) : undefined;
        if (wire && Object.entries(filter).every(([name, value]) => isAbout(wire, kind, name, value))) {
          yield wire as unknown as WireRecord<K>;
        }
      }
    }
    const get = async (name: string): Promise<WireRecord<K>> => {
      const found = manifest.records.find((record) => record.address === address(kind, name));
      if (found === undefined) throw new ProblemError('not_found', `${this.url} declares no ${kind} "${name}".`);
      return wireOf(found, manifest.stack) as unknown as WireRecord<K>;
    };
    return { list, get };
  }

  async *#found<R extends FoundEntity | FoundAction>(
    question: object,
    { onLeftOut }: SearchOptions = {},
  ): AsyncGenerator<R> {
    const bounds = { limit: Number.POSITIVE_INFINITY, now: this.now, late: () => false };
    let next: string | undefined = '';
    while (next !== undefined) {
      const page: Page<unknown> = finished(this.#search.find(question as SearchQuestion, { ...bounds, after: next }));
      if (page.undecided !== undefined) onLeftOut?.(page.undecided);
      yield* page.results as R[];
      next = page.next;
    }
  }
}

function requestOf(question: DecisionQuestion): DecisionRequest {
  return partsOf(question) as DecisionRequest;
}

/** The parts that a question has, with their aliases resolved. */
function partsOf({ subject, resource, action, context }: Partial<DecisionQuestion>): object {
  return {
    ...(subject && { subject: { ...subject, ...propertiesOf(subject) } }),
    ...(resource && { resource: { ...resource, ...propertiesOf(resource) } }),
    ...(action && { action }),
    ...(context && { context }),
  };
}

function propertiesOf({ properties, attributes }: Sent): { properties?: JsonObject } {
  if (properties === undefined && attributes === undefined) return {};
  return { properties: { ...(attributes as JsonObject), ...(properties as JsonObject) } };
}

function wireOf(record: Manifest['records'][number], stack: string): Record<string, unknown> {
  const { kind, address: at, fields } = record;
  const application = 'type' in fields && kind === 'resource' ? { application: names(fields.type)[0] } : {};
  return { kind, address: at, ...application, ...fields, managed_by: stack };
}

function isAbout(wire: Record<string, unknown>, kind: Kind, name: string, value: string | number | undefined): boolean {
  if (value === undefined) return true;
  // The bare names of resource types are accepted, too, as a service accepts them.
  if (kind === 'resource' && name === 'type' && !String(value).includes('/'))
    return String(wire.type).endsWith(`/${value}`);
  if (name === 'id' && wire.id === undefined) return splitAddress(String(wire.address)).path === String(value);
  return String(wire[name]) === String(value);
}
