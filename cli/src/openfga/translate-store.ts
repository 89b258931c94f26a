import type { JsonObject } from '@authz-service/core/json/json';
import { canonicalJson } from '@authz-service/core/json/json';
import type { ManifestFile } from '@authz-service/core/manifest/manifest';
import { writeManifest } from '@authz-service/core/manifest/write';
import { path } from '@authz-service/core/records/address';
import type { DeclaredRecord } from '@authz-service/core/records/registry';
import { declare } from '@authz-service/core/records/registry';
import { parse, stringify } from 'yaml';
import { assertionsOf, namedIn } from './assertions.js';
import { chooseHierarchy, fromRules } from './hierarchy.js';
import { readModel } from './model.js';
import type { Store } from './read-store.js';
import { Refusals } from './refusals.js';
import { type Translation, translate } from './translate.js';
import { type ObjectName, readTuples } from './tuple.js';
import { refuseUnknownNames } from './unknown-names.js';

export interface ReadAssertions {
  objects: ObjectName[];
  subjects: ObjectName[];
  asked: Set<string>;
}

export interface TranslatedStore {
  files: ManifestFile[];
  records: number;
  assertions: number;
  /** How many `relation from tupleset` the hierarchy of resources says, and how many groups do. */
  inherited: { hierarchy: number; groups: number };
}

/** Translates a store into a tree and its tests. Throws `invalid_config` with everything that cannot be said. */
export function translateStore(store: Store, application: string, file: string): TranslatedStore {
  const refusals = new Refusals();
  const model = readModel(store.model, store.placeOf, refusals);
  refuseUnknownNames(model, refusals);
  const base = readTuples(model, store.tuples, refusals);
  const named = store.tests.map((test) => namedIn(test, model, refusals));
  const asked = new Set(named.flatMap((one) => [...one.asked]));
  // Without a model in which all can be said, what follows of it means nothing.
  refusals.raise(file);
  const hierarchy = chooseHierarchy(model);
  const shared = {
    ...{ model, hierarchy, asked, application },
    objects: named.flatMap(({ objects }) => objects),
    subjects: named.flatMap(({ subjects }) => subjects),
  };
  const tree = translate({ ...shared, tuples: base }, refusals);
  const files = [...writeManifest(tree.records, { stack: application })];
  let assertions = 0;
  for (const [index, test] of store.tests.entries()) {
    const own = readTuples(model, test.tuples, refusals);
    const all = own.length === 0 ? tree : translate({ ...shared, tuples: [...base, ...own] }, refusals);
    const added = additions(tree, all, test.place, refusals);
    const translated = assertionsOf(test, all, application, refusals);
    assertions += translated.assertions;
    if (translated.tests.length === 0) continue;
    const probes = translated.probes.flatMap((node) => probe(node));
    const records = [...added, ...probes];
    const document: JsonObject = {
      ...(records.length > 0 && { records: collections(records) }),
      tests: translated.tests,
    };
    files.push({ path: testPath(test.name, index, files), text: stringify(document, { lineWidth: 120 }) });
  }
  refusals.raise(file);
  const rules = fromRules(model);
  const said = rules.filter((rule) => hierarchy.says(rule)).length;
  return {
    files,
    records: tree.records.length,
    assertions,
    inherited: { hierarchy: said, groups: rules.length - said },
  };
}

/** The records that a test's own tuples add. What they make superfluous says the same as what they add. */
function additions(
  { records }: Translation,
  all: Translation,
  place: Store['tests'][number]['place'],
  refusals: Refusals,
): DeclaredRecord[] {
  const before = new Map(records.map((record) => [record.address, record]));
  return all.records.filter((record) => {
    const present = before.get(record.address);
    if (present === undefined) return true;
    if (canonicalJson(present.fields as never) !== canonicalJson(record.fields as never)) {
      refusals.add(
        place,
        `the tuples of this test change ${record.address}, and tests can only add records: write them at the top of the store.`,
      );
    }
    return false;
  });
}

/** A subject that stands for a userset in questions. */
function probe(node: string): DeclaredRecord[] {
  const hash = node.lastIndexOf('#');
  const colon = node.indexOf(':');
  const fields = { type: `${node.slice(0, colon)}${node.slice(hash)}`, id: node.slice(colon + 1, hash) };
  return [
    declare('subject', fields as never) as DeclaredRecord,
    declare('group_membership', {
      group: path(node),
      entity_type: 'subject',
      entity: path(fields.type, fields.id),
    } as never) as DeclaredRecord,
  ];
}

/** Records in the notation of the tree, without what only a tree says. */
function collections(records: readonly DeclaredRecord[]): JsonObject {
  const merged: JsonObject = {};
  for (const { text } of writeManifest(records, { stack: 'tests' })) {
    const { version: _version, stack: _stack, external: _external, ...rest } = parse(text) as JsonObject;
    for (const [name, value] of Object.entries(rest)) {
      const present = merged[name];
      merged[name] =
        Array.isArray(value) && Array.isArray(present)
          ? [...present, ...value]
          : { ...(present as JsonObject | undefined), ...(value as JsonObject) };
      if (Array.isArray(value)) merged[name] = [...((present as never[] | undefined) ?? []), ...value];
    }
  }
  return merged;
}

function testPath(name: string | undefined, index: number, files: readonly ManifestFile[]): string {
  const slug = (name ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  const wanted = `tests/${slug === '' ? `test-${index + 1}` : slug}`;
  const taken = new Set(files.map(({ path: file }) => file));
  let candidate = wanted;
  for (let number = 2; taken.has(`${candidate}.test.yaml`); number++) candidate = `${wanted}-${number}`;
  return `${candidate}.test.yaml`;
}
