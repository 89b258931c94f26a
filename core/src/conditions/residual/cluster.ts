import type { Json } from '../../json/json.js';
import { OutOfSteps } from '../values/outcome.js';
import type { ValueMap } from '../values/value.js';
import { type Atom, evaluateAtom } from './atom.js';
import { type AtomQuestions, questionsOf, type Site } from './atom-questions.js';
import type { Assignment, Attribute, AttributePool } from './attribute.js';
import { combinationsOf, TRIED_TEXTS } from './combinations.js';
import { momentsFor } from './domain/moments.js';
import type { Question } from './domain/question.js';
import type { QuestionAt, Values } from './domain/values.js';
import { valuesFor } from './domain/values.js';
import type { FormulaOutcome } from './formula.js';

/** Outcomes that atoms have together, and what a request sends for them. */
export interface OutcomeCell {
  readonly outcomes: ReadonlyMap<Atom, FormulaOutcome>;
  readonly chosen: Assignment;
}

/** Atoms that share attributes, directly or through others. What requests choose for it makes no difference to the rest. */
export interface Cluster {
  readonly atoms: readonly Atom[];
  readonly cells: readonly OutcomeCell[];
  /** Whether no request gives outcomes that no cell has. */
  readonly complete: boolean;
}

/** Evaluations of atoms for one cluster. */
const EVALUATIONS_MAX = 60_000;

/** Finds the cells of atoms, once for each set of atoms. */
export class Clusters {
  readonly #pool: AttributePool;
  readonly #atomQuestions = new Map<Atom, AtomQuestions>();
  readonly #made = new Map<string, Cluster>();

  constructor(pool: AttributePool) {
    this.#pool = pool;
  }

  /** The clusters of these atoms, by atom. */
  of(atoms: readonly Atom[]): ReadonlyMap<Atom, Cluster> {
    const found = new Map<Atom, Cluster>();
    for (const group of groupsOf(atoms)) {
      const key = group.map(({ id }) => id).join(',');
      let cluster = this.#made.get(key);
      if (cluster === undefined) {
        cluster = this.#cluster(group);
        this.#made.set(key, cluster);
      }
      for (const atom of group) found.set(atom, cluster);
    }
    return found;
  }

  #questionsOf(atom: Atom): AtomQuestions {
    let questions = this.#atomQuestions.get(atom);
    if (questions === undefined) {
      questions = questionsOf(atom, this.#pool);
      this.#atomQuestions.set(atom, questions);
    }
    return questions;
  }

  #cluster(atoms: readonly Atom[]): Cluster {
    const attributes = this.#attributesOf(atoms);
    const ofAtoms = atoms.map((atom) => this.#questionsOf(atom));
    const plan = new ClusterPlan(attributes, ofAtoms);
    let complete = plan.complete && ofAtoms.every((one) => one.complete);
    const values = new Map(attributes.map((attribute) => [attribute, plan.valuesOf(attribute)]));
    for (const one of values.values()) complete &&= one.complete;
    const combinations = combinationsOf(values);
    const { cells, whole } = cellsOf(atoms, combinations.found);
    return { atoms, cells, complete: complete && combinations.complete && whole };
  }

  /** Both the id and the name of a resource without a record, since not all of them go together; the instant comes last. */
  #attributesOf(atoms: readonly Atom[]): Attribute[] {
    const found = new Set(atoms.flatMap((atom) => atom.attributes));
    for (const attribute of found) {
      if (attribute.kind !== 'resourceId' && attribute.kind !== 'resourceName') continue;
      const { names } = attribute;
      if (names !== undefined) found.add(this.#pool.resourceId(names)).add(this.#pool.resourceName(names));
    }
    const now = [...found].filter(({ kind }) => kind === 'now');
    return [...[...found].filter(({ kind }) => kind !== 'now'), ...now];
  }
}

/** The cells of some combinations of values: one for each combination of outcomes. */
function cellsOf(
  atoms: readonly Atom[],
  combinations: readonly Assignment[],
): { cells: OutcomeCell[]; whole: boolean } {
  const cells = new Map<string, OutcomeCell>();
  const numbers = new Map<unknown, number>();
  const numberOf = (value: unknown) => {
    const known = numbers.get(value) ?? numbers.size;
    numbers.set(value, known);
    return known;
  };
  const known = new Map<string, FormulaOutcome>();
  let evaluations = 0;
  for (const chosen of combinations) {
    const outcomes = new Map<Atom, FormulaOutcome>();
    try {
      for (const atom of atoms) {
        const key = `${atom.id}/${atom.attributes.map((attribute) => numberOf(chosen.get(attribute))).join(',')}`;
        let outcome = known.get(key);
        if (outcome === undefined) {
          if (++evaluations > EVALUATIONS_MAX) return { cells: [...cells.values()], whole: false };
          outcome = evaluateAtom(atom, chosen);
          known.set(key, outcome);
        }
        outcomes.set(atom, outcome);
      }
    } catch (error) {
      // A decision on such a request runs out of steps.
      if (error instanceof OutOfSteps) continue;
      throw error;
    }
    const key = [...outcomes.values()].join(',');
    if (!cells.has(key)) cells.set(key, { outcomes, chosen });
  }
  return { cells: [...cells.values()], whole: true };
}

/** Groups of atoms that share attributes, or whose attributes are parts of one another. */
function groupsOf(atoms: readonly Atom[]): Atom[][] {
  const groupOf = new Map<string, Set<Atom>>();
  const roots = new Set(atoms.flatMap(({ attributes }) => attributes.flatMap(wholeRoot)));
  for (const atom of atoms) {
    const group = new Set([atom]);
    const names = new Set(atom.attributes.map((attribute) => nameOf(attribute, roots)));
    for (const name of names) for (const other of groupOf.get(name) ?? []) group.add(other);
    for (const other of group) for (const attribute of other.attributes) groupOf.set(nameOf(attribute, roots), group);
  }
  return [...new Set(groupOf.values())].map((group) => [...group].sort((left, right) => left.id - right.id));
}

function wholeRoot(attribute: Attribute): string[] {
  return attribute.kind === 'property' && attribute.name === undefined ? [attribute.root] : [];
}

/** Names what attributes have in common that depend on each other. */
function nameOf(attribute: Attribute, roots: ReadonlySet<string>): string {
  if (attribute.kind === 'property' && roots.has(attribute.root)) return attribute.root;
  if (attribute.kind === 'resourceId' || attribute.kind === 'resourceName') return 'resource.names';
  return attribute.key;
}

/** Which values of its attributes a cluster needs. */
class ClusterPlan {
  complete = true;
  readonly #questions = new Map<Attribute, QuestionAt[]>();
  readonly #each = new Map<Attribute, number>();
  readonly #lookedFor = new Map<Attribute, Site[]>();
  readonly #atomQuestions: readonly AtomQuestions[];

  constructor(attributes: readonly Attribute[], ofAtoms: readonly AtomQuestions[]) {
    this.#atomQuestions = ofAtoms;
    for (const attribute of attributes) {
      this.#questions.set(attribute, []);
      this.#each.set(attribute, isText(attribute) ? TRIED_TEXTS : 1);
      if (attribute.kind === 'property' && attribute.name === undefined) this.complete = false;
    }
    for (const [site, question] of ofAtoms.flatMap(({ questions }) => questions))
      this.#questions.get(site.attribute)?.push([site.members, question]);
    for (const sites of this.#joined()) this.#share(sites);
    for (const [item, list] of this.#joins('in')) this.#lookInto(item, list);
  }

  #joins(...kinds: string[]) {
    return this.#atomQuestions.flatMap(({ joins }) => joins.filter(([, , kind]) => kinds.includes(kind)));
  }

  /** Groups of sites that are compared with each other. */
  #joined(): Site[][] {
    const groups = new Map<string, Map<string, Site>>();
    for (const [first, second] of this.#joins('equal', 'order')) {
      const merged = new Map([...(groups.get(siteKey(first)) ?? []), ...(groups.get(siteKey(second)) ?? [])]);
      merged.set(siteKey(first), first).set(siteKey(second), second);
      for (const key of merged.keys()) groups.set(key, merged);
    }
    return [...new Set(groups.values())].map((group) => [...group.values()]);
  }

  /** Asks of each of several sites that are compared what is asked of one of them; each needs a value of its own. */
  #share(sites: readonly Site[]): void {
    const ordered = this.#joins('order').some(([first]) => sites.some((site) => siteKey(site) === siteKey(first)));
    const all = sites.flatMap((site) => this.#askedAt(site));
    const shared = all.flatMap((question): Question[] => {
      if (!ordered || question.ask !== 'equals') return [question];
      return [question, { ask: 'before', text: question.text }];
    });
    const texts = shared.some(({ ask }) =>
      ['starts', 'ends', 'contains', 'matches', 'size', 'ip', 'moment'].includes(ask),
    );
    if (ordered && texts) this.complete = false;
    const each = Math.max(sites.length, ...sites.map(({ attribute }) => this.#each.get(attribute) ?? 1));
    for (const { attribute, members } of sites) {
      const questions = this.#questions.get(attribute) ?? [];
      if (questions.some(([at]) => at.length > members.length && members.every((name, index) => name === at[index])))
        this.complete = false;
      questions.push(...shared.map((question): QuestionAt => [members, question]), [members, { ask: 'kind' }]);
      this.#questions.set(attribute, questions);
      this.#each.set(attribute, Math.max(each, this.#each.get(attribute) ?? 1));
    }
  }

  #askedAt(site: Site): Question[] {
    const key = siteKey(site);
    const questions = this.#questions.get(site.attribute) ?? [];
    return questions.filter(([members]) => siteKey({ ...site, members }) === key).map(([, question]) => question);
  }

  /** A list in which the value of another site is looked for needs to have it, or not. */
  #lookInto(item: Site, list: Site): void {
    const others = this.#joins('equal', 'order', 'in').filter(([first, second]) =>
      [first, second].some((site) => site.attribute === list.attribute || site.attribute === item.attribute),
    );
    const asked = this.#questions.get(list.attribute) ?? [];
    const simple = asked.every(([members, { ask }]) => members.length === 0 && (ask === 'member' || ask === 'kind'));
    if (others.length > 1 || list.members.length > 0 || item.members.length > 0 || !simple || isText(list.attribute))
      this.complete = false;
    if (list.members.length === 0)
      this.#lookedFor.set(list.attribute, [...(this.#lookedFor.get(list.attribute) ?? []), item]);
    // What is looked for in the list anyway is told apart in the item, too.
    for (const question of this.#askedAt(list))
      if (question.ask === 'member' && typeof question.value === 'string')
        this.#questions.get(item.attribute)?.push([item.members, { ask: 'equals', text: question.value }]);
      else if (question.ask === 'member' && typeof question.value === 'number')
        this.#questions.get(item.attribute)?.push([item.members, { ask: 'number', number: question.value }]);
      else if (question.ask === 'member' && question.value !== null && typeof question.value === 'object')
        this.complete = false;
  }

  valuesOf(attribute: Attribute): Values {
    if (attribute.kind === 'role') {
      // Inside other operations nothing is tried of a role that has several names, of which each is a choice of its own.
      const alone = attribute.role.anyOf.length === 1 && attribute.role.otherwise === undefined;
      return { values: alone ? [true, false] : [], complete: alone, kinds: [] };
    }
    if (attribute.kind === 'now') return this.#instants(attribute.span);
    // Only the ancestors that are known are tried, with an id for each.
    if (attribute.kind === 'ancestors') return { values: [attribute.known.map(withId)], complete: false, kinds: [] };
    if (attribute.kind === 'property' && attribute.name === undefined)
      return { values: [{}, { other: true }], complete: false, kinds: [] };
    const found = valuesFor(this.#questions.get(attribute) ?? [], this.#each.get(attribute) ?? 1);
    if (isText(attribute)) return textsOnly(attribute, found);
    const items = (this.#lookedFor.get(attribute) ?? []).flatMap((item) => this.valuesOf(item.attribute).values);
    if (items.length === 0) return found;
    const values = [...found.values, ...withItems(found.values, items.slice(0, ITEMS_MAX))];
    return { ...found, values, complete: found.complete && items.length <= ITEMS_MAX };
  }

  /**
   * The time of the decision counts where the request gives none. It makes a difference of its own only to what also asks
   * whether the request gives one.
   */
  #instants({ from, until }: { from: number; until: number }): Values {
    const questions = [...this.#questions].flatMap(([attribute, asked]) =>
      attribute.key === CONTEXT_TIME ? asked.map(([, question]) => question) : [],
    );
    const presents = questions.flatMap((question) => (question.ask === 'present' ? [question.ms] : []));
    const windows = questions.flatMap((question) => (question.ask === 'window' ? [question.window] : []));
    const start = Number.isFinite(from) ? Math.ceil(from) : undefined;
    const { moments, complete } = momentsFor(presents, windows, start, Number.isFinite(until) ? until : undefined);
    const alone = questions.every(({ ask }) => ask === 'present' || ask === 'window');
    return { values: moments, complete: complete || alone, kinds: [] };
  }
}

/** An ancestor with an id as the service makes them, if its own is not known. */
function withId(ancestor: ValueMap, at: number): Json {
  const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
  return { id, ...ancestor } as Json;
}

const CONTEXT_TIME = 'context["time"]';

function siteKey({ attribute, members }: Site): string {
  return JSON.stringify([attribute.key, ...members]);
}

function isText(
  attribute: Attribute,
): attribute is Exclude<Attribute, { kind: 'property' | 'role' | 'ancestors' | 'now' }> {
  return 'text' in attribute || attribute.kind === 'resourceName';
}

/** The values of an id or name: texts that something without a record may have. */
function textsOnly(attribute: Attribute, found: Values): Values {
  const admits = admitting(attribute);
  // A request with an empty id or name is refused.
  const kinds = found.kinds.map((kind) => kind.filter((text) => text !== '' && admits(text)));
  // Where a kind has more texts than were tried, another may do.
  const gone = kinds.some((kind, at) => kind.length === 0 && (found.kinds[at]?.length ?? 0) >= TRIED_TEXTS);
  const alone = 'text' in attribute && attribute.text !== undefined;
  // Beside a name the id may be any, which is left to the combinations.
  const texts =
    attribute.kind === 'resourceId' && !alone ? found.kinds.flat().filter((text) => text !== '') : kinds.flat();
  return { values: alone ? texts : [undefined, ...texts], kinds, complete: found.complete && !gone };
}

function admitting(attribute: Attribute): (text: string) => boolean {
  if (attribute.kind === 'resourceName') return (text) => attribute.names.admitsName(text);
  if (attribute.kind === 'resourceId' && attribute.names !== undefined) {
    const { names } = attribute;
    return (text) => names.admitsId(text);
  }
  return (text) => !('text' in attribute) || attribute.text?.admits(text) !== false;
}

const ITEMS_MAX = 40;

/** Each list with each item in it as well, and each map with each text as a key. */
function withItems(lists: readonly (Json | undefined)[], items: readonly (Json | undefined)[]): Json[] {
  const found: Json[] = [];
  for (const list of lists) {
    if (typeof list !== 'object' || list === null) continue;
    for (const item of items) {
      if (item === undefined) continue;
      if (Array.isArray(list)) found.push([...list, item]);
      else if (typeof item === 'string') found.push({ ...list, [item]: true });
    }
  }
  return found;
}
