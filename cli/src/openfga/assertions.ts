import type { Json, JsonObject } from '@authz-service/core/json/json';
import { entityText } from '@authz-service/core/records/entity-text';
import type { Model } from './model.js';
import type { StoreTest } from './read-store.js';
import type { Refusals } from './refusals.js';
import { askedKey, nodeName } from './relation-graph.js';
import type { Translation } from './translate.js';
import type { ReadAssertions } from './translate-store.js';
import { nameFault, type ObjectName, objectName, type User, userOf } from './tuple.js';
import { isRelation, unknownRelation } from './unknown-names.js';

/** Returns what the questions of a test name: what must be recorded, and be an action. */
export function namedIn(test: StoreTest, model: Model, refusals: Refusals): ReadAssertions {
  const named: ReadAssertions = { objects: [], subjects: [], asked: new Set() };
  const canBeNamed = (name: ObjectName): boolean => {
    const fault = nameFault(model, name);
    if (fault !== undefined) refusals.add(test.place, `no record can have a name of this test: ${fault}.`);
    return fault === undefined;
  };
  const ask = (type: string, relation: string): void => {
    if (isRelation(model, type, relation)) named.asked.add(askedKey(type, relation));
    else refusals.add(test.place, `the test asks for ${unknownRelation(model, [type], relation)}`);
  };
  const object = (text: string, relations: Iterable<string>): void => {
    const name = objectName(text);
    if (name === undefined) {
      refusals.add(test.place, `"${text}" is no object: write TYPE:ID.`);
      return;
    }
    if (!canBeNamed(name)) return;
    named.objects.push(name);
    for (const relation of relations) ask(name.type, relation);
  };
  const user = (text: string): void => {
    const found = userOf(text);
    if (found === undefined) {
      refusals.add(test.place, `"${text}" is no user: write TYPE:ID.`);
      return;
    }
    if (found.wildcard || !canBeNamed(found)) return;
    if (found.relation === undefined) named.subjects.push({ type: found.type, id: found.id });
  };
  for (const check of test.check ?? []) {
    for (const text of usersOf(check)) user(text);
    for (const text of objectsOf(check)) object(text, Object.keys(check.assertions));
  }
  for (const list of test.list_objects ?? []) {
    user(list.user);
    for (const [relation, objects] of Object.entries(list.assertions)) {
      ask(list.type, relation);
      for (const text of objects ?? []) object(text, []);
    }
  }
  for (const list of test.list_users ?? []) {
    object(list.object, Object.keys(list.assertions));
    for (const { users } of Object.values(list.assertions)) for (const text of users ?? []) user(text);
  }
  return named;
}

type Check = NonNullable<StoreTest['check']>[number];
const usersOf = ({ user, users = [] }: Check): string[] => [...(user === undefined ? [] : [user]), ...users];
const objectsOf = ({ object, objects = [] }: Check): string[] => [
  ...(object === undefined ? [] : [object]),
  ...objects,
];

export interface TranslatedAssertions {
  tests: JsonObject[];
  /** Groups for which a probe subject is needed: `type:id#relation`. */
  probes: string[];
  /** How many assertions of the store these tests are. */
  assertions: number;
}

/**
 * The assertions of a test as tests of ours. A userset as a user is asked for a probe: a subject that is its only member,
 * of a type like `group#member`. A wildcard is a subject that nobody recorded.
 */
export function assertionsOf(
  test: StoreTest,
  { records, groups }: Translation,
  application: string,
  refusals: Refusals,
): TranslatedAssertions {
  const tests: JsonObject[] = [];
  const names = new Set<string>();
  const probes = new Set<string>();
  let assertions = 0;
  const add = (question: string, context: JsonObject | undefined, rest: JsonObject): void => {
    let name = question;
    for (let number = 2; names.has(name); number++) name = `${question} (${number})`;
    names.add(name);
    tests.push({ name, ...(context && { context }), ...rest });
  };
  const resource = ({ type, id }: ObjectName): Json =>
    entityText('resource', { type: `${application}/${type}`, name: id });
  const subjectText = (type: string, id: string): string => entityText('subject', { type, name: id });
  const probeType = (type: string, relation: string): string => `${type}#${relation}`;
  const subject = (user: User): Json => {
    if (user.relation !== undefined) {
      const node = nodeName(user, user.relation);
      if (groups.has(node)) {
        probes.add(node);
        return subjectText(probeType(user.type, user.relation), user.id);
      }
      return { type: probeType(user.type, user.relation), id: user.id };
    }
    return user.wildcard ? { type: user.type, id: '*' } : subjectText(user.type, user.id);
  };
  /** A userset that no tuple grants anything is no group here, so that nothing can be allowed to it. */
  const refuseUnasked = (user: User): void => {
    if (user.relation === undefined || groups.has(nodeName(user, user.relation))) return;
    const text = JSON.stringify(`${user.type}:${user.id}#${user.relation}`);
    refusals.add(
      test.place,
      `${text} is expected to be allowed, and no tuple grants it anything: it is no group here, so leave it out.`,
    );
  };
  const recorded = records.flatMap(({ kind, fields }) => (kind === 'subject' ? [fields] : []));

  for (const check of test.check ?? []) {
    for (const userText of usersOf(check)) {
      for (const objectText of objectsOf(check)) {
        const [user, object] = [userOf(userText), objectName(objectText)];
        if (user === undefined || object === undefined) continue;
        for (const [relation, expected] of Object.entries(check.assertions)) {
          assertions++;
          if (expected) refuseUnasked(user);
          add(`${userText} ${relation} ${objectText}`, check.context as JsonObject | undefined, {
            subject: subject(user),
            action: relation,
            resource: resource(object),
            expect: expected ? 'allow' : 'deny',
          });
        }
      }
    }
  }
  for (const list of test.list_objects ?? []) {
    const user = userOf(list.user);
    if (user === undefined) continue;
    for (const [relation, objects] of Object.entries(list.assertions)) {
      assertions++;
      add(`${list.user} ${relation} which ${list.type}`, list.context as JsonObject | undefined, {
        what_can: { subject: subject(user), action: relation, resource_type: `${application}/${list.type}` },
        exactly: [...new Set(objects ?? [])].flatMap((text) => {
          const object = objectName(text);
          return object === undefined ? [] : [resource(object)];
        }),
      });
    }
  }
  for (const list of test.list_users ?? []) {
    const object = objectName(list.object);
    if (object === undefined) continue;
    for (const [relation, { users }] of Object.entries(list.assertions)) {
      assertions++;
      for (const { type, relation: of } of list.user_filter) {
        const context = list.context as JsonObject | undefined;
        const filter = of === undefined ? type : probeType(type, of);
        const question = `who of ${filter} ${relation} ${list.object}`;
        const who = { who_can: { action: relation, resource: resource(object), subject_type: filter } };
        const mine = (users ?? [])
          .flatMap((text) => userOf(text) ?? [])
          .filter((one) => one.type === type && one.relation === of);
        if (of !== undefined) {
          for (const one of mine) refuseUnasked(one);
          const all = [...groups].filter(([, node]) => node.object.type === type && node.relation === of);
          for (const [node] of all) probes.add(node);
          if (all.length > 0)
            add(question, context, { ...who, exactly: mine.map((one) => subjectText(filter, one.id)) });
          continue;
        }
        const everyone = mine.some(({ wildcard }) => wildcard);
        const ofType = recorded.filter((one) => one.type === type).map(({ id }) => subjectText(type, id));
        const exactly = everyone ? ofType : [...new Set(mine.map(({ id }) => subjectText(type, id)))];
        if (ofType.length > 0) add(question, context, { ...who, exactly });
        add(`anybody of ${type} ${relation} ${list.object}`, context, {
          subject: { type, id: '*' },
          action: relation,
          resource: resource(object),
          expect: everyone ? 'allow' : 'deny',
        });
      }
    }
  }
  return { tests, probes: [...probes], assertions };
}
