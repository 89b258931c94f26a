import { ancestorValue } from '../../conditions/evaluate/ancestors.js';
import type { Absent } from '../../conditions/values/outcome.js';
import type { Ancestry } from '../../conditions/values/scope.js';
import type { ValueMap } from '../../conditions/values/value.js';
import type { Resource } from '../grants/target.js';
import { placesOf, type ResolvedRequest } from './resolved-request.js';

/** The ancestors of the request's resource, as conditions read them (docs/semantics.md 8.10). */
export class Ancestors implements Ancestry {
  constructor(private readonly resolved: Pick<ResolvedRequest, 'type' | 'resource' | 'where'>) {}

  of(path: string): readonly ValueMap[] | Absent {
    const where = placesOf(this.resolved);
    if (where === null) return [];
    const { places, unknown } = where;
    for (const [type, absent] of unknown ?? []) if (type.path === path) return absent;
    const found = places.filter((place) => place !== this.resolved.resource && place.type.path === path);
    return found.sort((left, right) => (left.name < right.name ? -1 : 1)).map(mapOf);
  }
}

function mapOf({ id, name, type, properties = {} }: Resource): ValueMap {
  return ancestorValue({ type: type.name, application: type.application, name, properties, id });
}
