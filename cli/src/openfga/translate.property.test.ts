import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { readManifest } from '@authz-service/core/manifest/read';
import { writeManifest } from '@authz-service/core/manifest/write';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseHierarchy } from './hierarchy.js';
import { type Model, type ModelJson, readModel } from './model.js';
import { Refusals } from './refusals.js';
import { askedKey } from './relation-graph.js';
import { translate } from './translate.js';
import { objectName, readTuples, type Tuple, userOf, type WrittenTuple } from './tuple.js';

const TYPES = ['doc', 'folder', 'org'];
const RELATIONS = ['parent', 'owner', 'viewer'];
const IDS = ['1', '2'];
const USERS = ['user:a', 'user:b'];
const OBJECTS = TYPES.flatMap((type) => IDS.map((id) => `${type}:${id}`));
const PLACE = { file: 'store', line: 1, column: 1 };

const direct = fc.record({
  type: fc.constantFrom('user', ...TYPES),
  relation: fc.constantFrom(undefined, undefined, 'owner', 'viewer'),
  wildcard: fc.boolean(),
  condition: fc.constantFrom(undefined, undefined, undefined, 'small'),
});
const definition = fc.record({
  direct: fc.array(direct, { maxLength: 3 }),
  computed: fc.subarray(['owner', 'viewer'], { maxLength: 1 }),
  from: fc.subarray(['owner', 'viewer'], { maxLength: 2 }),
});

/** Every type has a tupleset `parent`, and relations that are unions of everything else. */
const models = fc
  .tuple(
    fc.array(fc.subarray(TYPES, { minLength: 1, maxLength: 2 }), { minLength: 3, maxLength: 3 }),
    fc.array(definition, { minLength: 6, maxLength: 6 }),
  )
  .map(([parents, definitions]): ModelJson => {
    const type_definitions = TYPES.map((type, at) => {
      const relations: Record<string, object> = { parent: { this: {} } };
      const metadata: Record<string, object> = {
        parent: { directly_related_user_types: parents[at]?.map((parent) => ({ type: parent })) },
      };
      for (const [index, relation] of ['owner', 'viewer'].entries()) {
        const { direct: related = [], computed = [], from = [] } = definitions[at * 2 + index] ?? {};
        const types = related.map(({ type: of, relation: its, wildcard, condition }) => ({
          type: of,
          ...(of !== 'user' && its !== undefined && { relation: its }),
          ...(of === 'user' && wildcard && { wildcard: {} }),
          ...(condition !== undefined && { condition }),
        }));
        metadata[relation] = { directly_related_user_types: types };
        relations[relation] = {
          union: {
            child: [
              { this: {} },
              ...computed.filter((one) => one !== relation).map((one) => ({ computedUserset: { relation: one } })),
              ...from.map((one) => ({
                tupleToUserset: { tupleset: { relation: 'parent' }, computedUserset: { relation: one } },
              })),
            ],
          },
        };
      }
      return { type, relations, metadata: { relations: metadata } };
    });
    return {
      type_definitions: [{ type: 'user' }, ...type_definitions] as NonNullable<ModelJson['type_definitions']>,
      conditions: {
        small: {
          expression: 'x < limit',
          parameters: { x: { type_name: 'TYPE_NAME_INT' }, limit: { type_name: 'TYPE_NAME_INT' } },
        },
      },
    };
  });

const picks = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat()), { minLength: 2, maxLength: 10 });

/** Tuples that the model allows. */
function tuplesOf(model: Model, chosen: readonly (readonly [number, number, number, number])[]): WrittenTuple[] {
  return chosen.flatMap(([which, whose, one, other]) => {
    const object = OBJECTS[which % OBJECTS.length] ?? '';
    const relation = RELATIONS[whose % RELATIONS.length] ?? '';
    const types = model.types.get(objectName(object)?.type ?? '')?.get(relation)?.direct ?? [];
    const related = types[one % Math.max(1, types.length)];
    if (related === undefined) return [];
    const id = related.type === 'user' ? ['a', 'b'][other % 2] : IDS[other % 2];
    const user = related.wildcard ? `${related.type}:*` : `${related.type}:${id}`;
    return [
      {
        user: related.relation === undefined ? user : `${user}#${related.relation}`,
        relation,
        object,
        place: PLACE,
        ...(related.condition && { condition: { name: related.condition, context: { limit: 5 } } }),
      },
    ];
  });
}

/** OpenFGA's meaning, from its definition: by recursion over tuples and rules, conditions with `x` and the limit 5. */
function holds(
  model: Model,
  tuples: readonly Tuple[],
  x: number,
  user: string,
  relation: string,
  object: string,
  path: readonly string[] = [],
): boolean {
  const key = `${object}#${relation}`;
  if (path.includes(key)) return false;
  const rule = model.types.get(object.slice(0, object.indexOf(':')))?.get(relation);
  if (rule === undefined) return false;
  const next = (its: string, of: string) => holds(model, tuples, x, user, its, of, [...path, key]);
  const at = (its: string) =>
    tuples.filter(
      (tuple) =>
        `${tuple.object.type}:${tuple.object.id}` === object &&
        tuple.relation === its &&
        (tuple.condition === undefined || x < 5),
    );
  return (
    at(relation).some(({ user: { type, id, relation: its, wildcard } }) => {
      if (its !== undefined) return next(its, `${type}:${id}`);
      return wildcard ? user.startsWith(`${type}:`) : user === `${type}:${id}`;
    }) ||
    rule.computed.some((one) => next(one, object)) ||
    rule.from.some(({ tupleset, relation: one }) =>
      at(tupleset).some(({ user: { type, id } }) => next(one, `${type}:${id}`)),
    )
  );
}

describe('a translated store', () => {
  it('allows exactly what OpenFGA does, or is refused', () => {
    const seen = { translated: 0, refused: 0, allowed: 0, inherited: 0 };
    fc.assert(
      fc.property(models, picks, (json, chosen) => {
        const refusals = new Refusals();
        const model = readModel(json, () => PLACE, refusals);
        const tuples = readTuples(model, tuplesOf(model, chosen), refusals);
        const hierarchy = chooseHierarchy(model);
        const asked = new Set(TYPES.flatMap((type) => ['owner', 'viewer'].map((one) => askedKey(type, one))));
        const { records } = translate(
          {
            ...{ model, hierarchy, tuples, asked, application: 'fga' },
            objects: OBJECTS.flatMap((text) => objectName(text) ?? []),
            subjects: USERS.flatMap((text) => userOf(text) ?? []),
          },
          refusals,
        );
        try {
          refusals.raise('store');
        } catch {
          seen.refused++;
          return;
        }
        seen.translated++;
        const written = writeManifest(records, { stack: 'fga' });
        expect(readManifest(written).faults).toEqual([]);
        const engine = compileEngine(records.map(({ kind, address, fields }) => ({ kind, id: address, fields })));
        for (const x of [1, 9]) {
          for (const user of USERS) {
            for (const object of OBJECTS) {
              for (const relation of ['owner', 'viewer']) {
                const [type = '', id = ''] = user.split(':');
                const [kind = '', name = ''] = object.split(':');
                const request = {
                  subject: { type, id },
                  action: { name: relation },
                  resource: { type: kind, name },
                  context: { x },
                };
                const expected = holds(model, tuples, x, user, relation, object);
                if (expected) seen.allowed++;
                expect(engine.decide(request, 0).decision, `${user} ${relation} ${object}`).toBe(expected);
              }
            }
          }
        }
        if (records.some(({ kind, fields }) => kind === 'resource' && fields.parents)) seen.inherited++;
      }),
      { numRuns: 500 },
    );
    // The random stores are not trivial ones.
    expect(seen.translated).toBeGreaterThan(100);
    expect(seen.refused).toBeGreaterThan(5);
    expect(seen.allowed).toBeGreaterThan(300);
    expect(seen.inherited).toBeGreaterThan(20);
  });
});
