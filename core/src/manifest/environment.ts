import * as z from 'zod';
import { type Address, address } from '../records/address.js';
import { quote, YAML_WORDS } from '../records/describe.js';
import { durationText } from '../records/duration-text.js';
import { issueText, unknownKeyText } from '../records/issue-text.js';
import { nearest } from '../text/nearest.js';
import { readText } from './address-lists.js';
import type { Declarations } from './declarations.js';
import { expectedMapping } from './describe.js';
import { documentsOf, sourceOf } from './documents.js';
import { Changes } from './environment-changes.js';
import { nodeAt, valueAt } from './locate.js';
import type { EnvironmentGates, ManifestFile, SourcePlace } from './manifest.js';
import { COLLECTIONS, LINK_LISTS } from './notation.js';
import type { Settings } from './settings.js';
import type { About, Findings } from './source.js';
import type { Variables } from './variables.js';
import { UNUSABLE, YamlDocument } from './yaml-document.js';
import { isEmpty, type YamlNode } from './yaml-node.js';

/** The keys of an environment's file. */
export const ENVIRONMENT_KEYS = {
  version: 'The version of this notation: 1.',
  name: 'The name of the environment, which is that of the file.',
  tenant: 'The only tenant that the tree may be applied to in this environment.',
  variables: 'Values of the variables that the base declares.',
  add: 'Records and links that the base does not have, in the notation of a tree.',
  change: 'Changes of records of the base, by the keys that these have there.',
  remove: 'Addresses of records and links of the base that are not in this environment.',
  gates: 'Demands on what a plan does to access: without them, nothing is applied.',
} as const;

/** The keys of a tree that may stand below `add`. */
const ADDED_KEYS = [...COLLECTIONS.keys(), ...LINK_LISTS.keys(), 'external'] satisfies string[];

/** Checks that an environment may demand of a plan. */
export const REQUIREMENTS = ['tests', 'lint', 'impact'] as const;
export type Requirement = (typeof REQUIREMENTS)[number];

/** Demands on a plan; those on access have the names and meaning of flags of `servicectl plan`. */
export const gatesSchema = z.strictObject({
  no_new_access: z.boolean().optional().meta({ description: 'Nobody may do more than before.' }),
  max_gained: z.int().min(0).optional().meta({ description: 'At most this many permissions are gained.' }),
  for: z.array(z.string().min(1)).min(1).optional().meta({
    description: 'Patterns of the permissions that `max_gained` counts, like "user:* approve invoice:*".',
  }),
  require: z.array(z.enum(REQUIREMENTS)).min(1).optional().meta({
    description:
      '`tests`: there are some, and all pass. `lint`: nothing is proven wrong. `impact`: what the plan does to access is known exactly.',
  }),
  soak: durationText(
    { least: '1s', most: '8760h' },
    'How long the environment that is promoted must have had a commit, enforced by every agent: `24h`.',
  ),
});
const COUNTED = 'says what max_gained counts, which is missing: add it';

export interface Removal {
  document: YamlDocument;
  node: YamlNode;
  about: About;
  address: Address;
}

/** The name of an environment by the path of its file. */
export function environmentName(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? path).replace(/\.ya?ml$/i, '');
}

/** A file that says what is different in one environment of a tree. */
export class Environment {
  readonly name: string;
  /** Additions, as documents of a tree. */
  readonly documents: YamlDocument[] = [];
  readonly changes: Changes;
  gates: EnvironmentGates | undefined;
  readonly #removals: Removal[] = [];

  constructor(
    file: ManifestFile,
    private readonly findings: Findings,
    settings: Settings,
    variables: Variables,
  ) {
    this.name = environmentName(file.path);
    this.changes = new Changes(findings);
    for (const document of documentsOf(file, sourceOf(file), findings)) {
      const { root } = document;
      if (isEmpty(root)) continue;
      if (root.type !== 'map') {
        document.fault(root, { label: '' }, `The document ${expectedMapping(root)}`);
        continue;
      }
      const entries = document.entries(root, () => ({ label: '' }));
      for (const { key, value } of entries) if (key === 'variables') variables.give(document, value);
      variables.fold(document);
      // Nodes are folded in place, so the entries are read again.
      for (const { key, keyNode, value } of document.entries(root)) {
        if (key === 'version' || key === 'tenant') settings.read(key, document, value, true);
        else if (key === 'name') this.#checkName(document, value);
        else if (key === 'add') this.#add(document, value);
        else if (key === 'change') this.changes.read(document, value);
        else if (key === 'remove') this.#remove(document, value);
        else if (key === 'gates') this.#readGates(document, value);
        else if (key !== 'variables')
          document.fault(keyNode, { label: '' }, unknownKeyText(key, Object.keys(ENVIRONMENT_KEYS)));
      }
    }
  }

  #checkName(document: YamlDocument, node: YamlNode): void {
    if (node.type === 'scalar' && node.value === this.name) return;
    document.fault(node, { label: 'name' }, `is not that of the file: write "name: ${this.name}", or rename the file.`);
  }

  #add(document: YamlDocument, node: YamlNode): void {
    for (const { key, keyNode } of document.mapping(node, { label: 'add' }))
      if (!ADDED_KEYS.includes(key)) document.fault(keyNode, { label: 'add' }, unknownKeyText(key, ADDED_KEYS));
    if (node.type !== 'map') return;
    const pairs = node.pairs.filter(({ key }) => key.type === 'scalar' && ADDED_KEYS.includes(String(key.value)));
    this.documents.push(new YamlDocument(document.source, { ...node, pairs }, this.findings));
  }

  #readGates(document: YamlDocument, node: YamlNode): void {
    const about = { label: 'gates' };
    if (node.type !== 'map') {
      document.fault(node, about, expectedMapping(node));
      return;
    }
    const value = document.json(node, () => about);
    if (value === UNUSABLE) return;
    const origin = { document, node, parts: document.entries(node), input: {} };
    const read = gatesSchema
      .refine((gates) => gates.for === undefined || gates.max_gained !== undefined, { error: COUNTED, path: ['for'] })
      .safeParse(value);
    for (const issue of read.error?.issues ?? []) {
      const at = { label: ['gates', ...issue.path].join('.') };
      if (issue.code === 'unrecognized_keys')
        for (const key of issue.keys)
          document.fault(nodeAt(origin, [key], true), at, unknownKeyText(key, Object.keys(gatesSchema.shape)));
      else document.fault(nodeAt(origin, issue.path), at, issueText(issue, valueAt(value, issue.path), YAML_WORDS));
    }
    this.gates = read.data;
  }

  #remove(document: YamlDocument, list: YamlNode): void {
    for (const [index, node] of document.items(list, { label: 'remove' }).entries()) {
      const about = { label: `remove[${index}]` };
      const read = readText(document, node, about);
      if (read !== undefined) this.#removals.push({ document, node, about, address: read.address });
    }
  }

  /**
   * Takes records out of what is declared, and the links that lead to them. `unlinked` are those that lists of changed
   * records leave out.
   */
  takeOut(declarations: Declarations, unlinked: readonly Removal[]): void {
    const { origins, removed } = declarations;
    for (const { document, node, about, address: of } of [...this.#removals, ...unlinked]) {
      if (origins.delete(of)) {
        removed.set(of, document.place(node));
        continue;
      }
      const near = nearest(of, origins.keys());
      const why = removed.has(of) ? 'is removed twice' : 'is not in the base';
      const remedy = near === undefined ? 'remove the item.' : `did you mean ${quote(near)}?`;
      const subject = about.label === of ? '' : `${of} `;
      document.fault(node, about, `${subject}${why}: ${removed.has(of) ? 'remove the item.' : remedy}`);
    }
    if (removed.size === 0) return;
    const links = new Map<Address, SourcePlace>();
    for (const [of, { record }] of origins) {
      if (
        record?.kind !== 'role_assignment' &&
        record?.kind !== 'policy_assignment' &&
        record?.kind !== 'group_membership'
      )
        continue;
      const { entity_type, entity, ...rest } = record.fields as Record<string, string | undefined>;
      const ends = [`${entity_type}/${entity}`];
      for (const kind of ['role', 'policy', 'group', 'resource'] as const)
        if (rest[kind] !== undefined) ends.push(address(kind, rest[kind]));
      const place = ends.map((end) => removed.get(end)).find((found) => found !== undefined);
      if (place === undefined) continue;
      origins.delete(of);
      links.set(of, place);
    }
    for (const [of, place] of links) removed.set(of, place);
  }
}
