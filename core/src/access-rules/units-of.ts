import { type Path, typeOfResource } from '../records/address.js';
import { remembered } from '../remembered.js';
import type { AccessSide } from './access-side.js';
import { mentioning, recordAt } from './access-view.js';
import { type ResourceUnit, recordedUnit, unrecordedUnit } from './resource-places.js';
import type { RuleClaim } from './rule-claim.js';
import type { Touch } from './touched.js';

const STEP = 200;

/** What reads the name, the id or the place of a resource, or all of it. */
const TOLD_APART = /\bresource\s*(?:\.\s*(?:id|name|ancestors?)\b|\[|[^.\s[]|$)/m;

/**
 * The resources that rules are judged on. One without a record stands for every recorded one of its type that no policy and
 * no place names: requests may say all of it that is recorded of another, but its name and where it lies. Those that are
 * named are judged by themselves, and so are all of a type where a condition may tell them apart by either.
 */
export class ResourceUnits {
  /** The resources that policies name and roles are held on, by their type, and those with all below them. */
  #singled: { byType: Map<Path, Set<Path>>; places: Set<Path> } | undefined;

  constructor(private readonly sides: readonly AccessSide[]) {}

  /** The units that a touch may change and of which a rule speaks; each once. */
  *of(claim: RuleClaim, touch: Touch | undefined): Generator<ResourceUnit | undefined, void> {
    const seen = new Set<string>();
    let steps = 0;
    for (const unit of this.#all(claim, touch)) {
      if (++steps % STEP === 0) yield undefined;
      if (seen.has(unit.key)) continue;
      seen.add(unit.key);
      if (this.sides.some((side) => claim.means(unit, side.locate(unit).places))) yield unit;
    }
  }

  *#all(claim: RuleClaim, touch: Touch | undefined): Generator<ResourceUnit> {
    if (touch?.resource !== undefined) {
      yield* this.#below(touch.resource);
      return;
    }
    const types = new Set<Path>(touch === undefined || touch.policies === undefined ? this.#types(claim, touch) : []);
    const roots = new Set<Path>();
    for (const { fields } of touch?.policies ?? []) {
      const { resource_type, resource_types = [], resources, application } = fields;
      if (resource_type !== undefined) types.add(resource_type);
      for (const type of resource_types) if (type !== '*') types.add(type);
      if (resource_types.includes('*')) for (const type of this.#typesIn(application ?? '')) types.add(type);
      for (const { resource, below } of resources ?? []) {
        if (below) roots.add(resource);
        else yield recordedUnit(resource);
      }
    }
    for (const type of types) yield* this.#ofType(type, claim);
    for (const root of roots) yield* this.#below(root);
  }

  *#ofType(type: Path, claim: RuleClaim): Generator<ResourceUnit> {
    const above = new Set(
      this.sides.flatMap((side) =>
        [...(recordAt(side.view, 'resource_type', type)?.fields.parents ?? [])].map((parent) => parent.type),
      ),
    );
    yield unrecordedUnit(type, 'nowhere');
    if (above.size > 0) yield unrecordedUnit(type, 'unsaid');
    const { byType, places } = this.#single();
    for (const path of byType.get(type) ?? []) yield recordedUnit(path);
    for (const path of claim.named) if (typeOfResource(path) === type) yield recordedUnit(path);
    if (TOLD_APART.test([claim.texts, ...this.sides.flatMap((side) => side.policies.conditionsOn(type))].join('\n'))) {
      yield* this.#recorded(type);
      for (const parent of above)
        for (const { path } of this.#recorded(parent))
          if (path !== undefined) yield unrecordedUnit(type, { below: path });
    }
    if (above.size === 0) return;
    for (const place of new Set([...places, ...(claim.below ? claim.named : [])]))
      for (const unit of this.#below(place)) if (unit.type === type) yield unit;
  }

  /** Those with a record, in either state. */
  *#recorded(type: Path): Generator<ResourceUnit> {
    for (const side of this.sides)
      for (const { address } of mentioning(side.view, `resource_type/${type}`, 'resource')) {
        const path = address.slice('resource/'.length);
        if (typeOfResource(path) === type) yield recordedUnit(path);
      }
  }

  /** A resource, all below it, what has no record there, and what may lie there for all that is said. */
  *#below(root: Path): Generator<ResourceUnit> {
    for (const type of this.#typesBelow(typeOfResource(root))) yield unrecordedUnit(type, 'unsaid');
    const seen = new Set([root]);
    for (const path of seen) {
      yield recordedUnit(path);
      for (const side of this.sides) {
        for (const { address, fields } of mentioning(side.view, `resource/${path}`, 'resource'))
          if (fields.parents?.includes(path)) seen.add(address.slice('resource/'.length));
        for (const { address, fields } of mentioning(
          side.view,
          `resource_type/${typeOfResource(path)}`,
          'resource_type',
        ))
          if (fields.parents?.some(({ type }) => type === typeOfResource(path)))
            yield unrecordedUnit(address.slice('resource_type/'.length), { below: path });
      }
    }
  }

  #typesBelow(type: Path): Set<Path> {
    const looked = new Set([type]);
    const below = new Set<Path>();
    for (const above of looked)
      for (const side of this.sides)
        for (const { address, fields } of mentioning(side.view, `resource_type/${above}`, 'resource_type'))
          if (fields.parents?.some((parent) => parent.type === above)) {
            below.add(address.slice('resource_type/'.length));
            looked.add(address.slice('resource_type/'.length));
          }
    return below;
  }

  #types(claim: RuleClaim, touch: Touch | undefined): Set<Path> {
    if (touch !== undefined && touch.types.size > 0) return new Set(touch.types);
    const types = new Set([...claim.named].map(typeOfResource));
    for (const side of this.sides)
      for (const address of side.view.addresses('resource_type')) {
        const type = address.slice('resource_type/'.length);
        if (claim.meansType(type) || claim.below) types.add(type);
      }
    return types;
  }

  *#typesIn(application: Path): Generator<Path> {
    for (const side of this.sides)
      for (const { address } of mentioning(side.view, `application/${application}`, 'resource_type'))
        yield address.slice('resource_type/'.length);
  }

  #single(): { byType: ReadonlyMap<Path, ReadonlySet<Path>>; places: ReadonlySet<Path> } {
    if (this.#singled === undefined) {
      const byType = new Map<Path, Set<Path>>();
      const places = new Set<Path>();
      const add = (path: Path, withBelow: boolean) => {
        remembered(byType, typeOfResource(path), () => new Set()).add(path);
        if (withBelow) places.add(path);
      };
      for (const side of this.sides) {
        for (const [path, entries] of side.policies.entries())
          add(
            path,
            entries.some(({ below }) => below),
          );
        for (const address of side.view.addresses('role_assignment')) {
          // The place is the third part of the address.
          if (address.indexOf('//', address.indexOf('//') + 2) < 0) continue;
          const record = side.view.get(address);
          if (record?.kind === 'role_assignment' && record.fields.resource !== undefined)
            add(record.fields.resource, true);
        }
      }
      this.#singled = { byType, places };
    }
    return this.#singled;
  }
}
