import type { CompiledEngine } from '../engine/compiled-engine.js';
import { withCountedProperties } from '../graph/counted-properties.js';
import { findResource, findType } from '../graph/names.js';
import { whereaboutsOf } from '../graph/whereabouts.js';
import { inOrder } from './ordered.js';
import { type Candidates, type Page, type PageBounds, pageOf } from './page.js';
import type { ActionSearch, FoundAction, FoundEntity, SearchQuestion } from './question.js';
import { ResourceCandidates } from './resource-candidates.js';
import { SearchIndex } from './search-index.js';
import { SubjectCandidates } from './subject-candidates.js';

/**
 * Searches a compiled tenant (AuthZEN 1.0 section 8). The candidates are those to whom some policy leads that allows
 * the action, and the engine decides on each: the results are exactly the recorded subjects and resources, or the
 * actions of the resource's type, that a decision would allow.
 *
 * All work is done in short steps, so that decisions need not wait for it.
 */
export class TenantSearch {
  readonly #subjects: SubjectCandidates;
  readonly #resources: ResourceCandidates;

  /** `shouldEnd` says whether a page should end with what it has, for reasons of whoever runs the search. */
  constructor(
    private readonly engine: CompiledEngine,
    readonly shouldEnd: () => boolean = () => false,
  ) {
    const index = SearchIndex.of(engine);
    this.#subjects = new SubjectCandidates(engine, index);
    this.#resources = new ResourceCandidates(engine, index);
  }

  /** Whether a change of the tenant waits until the searches that run have ended. */
  get holdsUp(): boolean {
    return this.engine.lock.changeWaits;
  }

  /** Throws `ambiguous_name`. */
  *find(asked: SearchQuestion, bounds: PageBounds): Generator<undefined, Page<FoundEntity | FoundAction>> {
    const { sendable, types } = this.engine;
    const request = withCountedProperties(asked, sendable, findType(types, asked.resource.type));
    switch (request.kind) {
      case 'subject':
        return yield* pageOf(this.engine, yield* this.#subjects.of(request), bounds);
      case 'resource':
        return yield* pageOf(this.engine, yield* this.#resources.of(request), bounds);
      case 'action':
        return yield* pageOf(this.engine, yield* this.#actions(request), bounds);
    }
  }

  *#actions({ subject, resource, context }: ActionSearch): Generator<undefined, Candidates<string, FoundAction>> {
    const roles = this.engine.namedRoles(subject.roles);
    const type = findType(this.engine.types, resource.type);
    const one = type && findResource(type, this.engine.resourcesById, resource);
    // Throws where the request misplaces the resource, whatever actions there are.
    const where = type === undefined ? null : whereaboutsOf(type, one, resource.properties);
    const principal = this.engine.subjects.get(subject.type)?.get(subject.id);
    const resolved = { subject: principal, roles, type, resource: one, where };
    const names = type?.actions ?? [];
    return {
      ordered: yield* inOrder(names, (name) => name),
      ask: (name) => ({ ...resolved, request: { subject, resource, action: { name }, context } }),
      show: (name) => ({ name }),
    };
  }
}
