import type { Json } from '../json/json.js';
import { describe, quote, YAML_WORDS } from '../records/describe.js';
import { PROPERTY_TYPES, type PropertyType } from '../records/fields.js';
import { unknownKeyText } from '../records/issue-text.js';
import { nearest } from '../text/nearest.js';
import { expectedMapping } from './describe.js';
import { lend } from './lend-nodes.js';
import { MAX_ALIASED_VALUES } from './limits.js';
import type { SourcePlace } from './manifest.js';
import { type About, type Findings, placeText } from './source.js';
import { type Entry, UNUSABLE, type YamlDocument } from './yaml-document.js';
import type { ScalarNode, YamlNode } from './yaml-node.js';

/** A value and the document that it is written in. */
interface Written {
  document: YamlDocument;
  node: YamlNode;
}

interface Variable extends Written {
  type: PropertyType;
  value?: Written;
  /** Its value was reported, so that what it stands for is no further fault. */
  isRefused?: boolean;
  isUsed: boolean;
}

/** The keys of a variable's declaration. */
export const VARIABLE_KEYS = ['type', 'default', 'description'];
/** A reference to a variable, as a whole value. */
const WHOLE = /^\$\{var\.([A-Za-z_]\w*)\}$/;
const BEGUN = '${var.';
/** Keys whose texts are conditions, in which variables are constants. */
const CONDITIONS = ['condition', 'when'];
/** Matches texts and comments in a condition, which are skipped, and variables, whose root CEL reserves. */
const IN_CONDITION =
  /[rR]?"""[\s\S]*?"""|[rR]?'''[\s\S]*?'''|[rR]"[^"\n]*"|[rR]'[^'\n]*'|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\/[^\n]*|(?<![\w.])var\s*\.\s*([A-Za-z_]\w*)/g;

/** The variables of a tree: declared with a type in the base, given a value by an environment or by default. */
export class Variables {
  readonly #variables = new Map<string, Variable>();
  /** The number of values that references to whole variables have been replaced by. */
  #lent = 0;
  #isFull = false;
  /** Whether something stands for a variable that has no value. */
  hasOpen = false;

  constructor(private readonly findings: Findings) {}

  /** Reads the mapping `variables` of a file of the base. */
  declare(document: YamlDocument, node: YamlNode): void {
    for (const entry of document.mapping(node, { label: 'variables' })) {
      const about = { label: `variables.${entry.key}` };
      if (!WHOLE.test(`\${var.${entry.key}}`)) {
        const rule = 'is no name of a variable: it begins with a letter or "_", then come letters, digits and "_".';
        document.fault(entry.keyNode, about, rule);
        continue;
      }
      const first = this.#variables.get(entry.key);
      if (first !== undefined) {
        const place = placeText(first.document.place(first.node));
        document.fault(entry.keyNode, about, `is declared twice, first at ${place}: keep one of them.`);
        continue;
      }
      const variable = readVariable(document, entry, about);
      if (variable === undefined) continue;
      this.#variables.set(entry.key, variable);
      this.#check(variable, `${about.label}.default`);
    }
  }

  /** Reads the mapping `variables` of an environment: values. */
  give(document: YamlDocument, node: YamlNode): void {
    for (const { key, keyNode, value } of document.mapping(node, { label: 'variables' })) {
      const label = `variables.${key}`;
      const variable = this.#variables.get(key);
      if (variable === undefined) {
        document.fault(keyNode, { label }, `is no variable of the base${this.#meant(key)}`);
        continue;
      }
      variable.value = { document, node: value };
      this.#check(variable, label);
    }
  }

  #check(variable: Variable, label: string): void {
    if (variable.value === undefined) return;
    const { document, node } = variable.value;
    const { type } = variable;
    const value = document.json(node, () => ({ label }));
    const isNested = value !== UNUSABLE && JSON.stringify(value).includes(BEGUN);
    const isOther = value !== UNUSABLE && type !== 'any' && typeOf(value) !== type;
    if (isNested)
      document.fault(node, { label }, 'names a variable, and a value of one cannot: write the value itself.');
    else if (isOther) document.fault(node, { label }, `${describe(value, YAML_WORDS)}, and the variable is a ${type}.`);
    variable.isRefused = value === UNUSABLE || isNested || isOther;
  }

  /** Puts values in place of `${var.NAME}`, and constants in place of `var.NAME` in conditions. */
  fold(document: YamlDocument): void {
    const { root, source } = document;
    if (!source.text.slice(root.start, root.end).includes('var')) return;
    const seen = new Set<YamlNode>();
    const walk = (node: YamlNode, isFree: boolean): void => {
      if (seen.has(node) || node.type === 'scalar') return;
      seen.add(node);
      if (node.type === 'list') {
        for (const [index, item] of node.items.entries()) {
          node.items[index] = this.#whole(document, item);
          walk(item, isFree);
        }
        return;
      }
      for (const pair of node.pairs) {
        const { key, value } = pair;
        const name = key.type === 'scalar' ? key.value : undefined;
        if (typeof name === 'string' && name.includes(BEGUN))
          document.fault(
            key,
            { label: '' },
            `${quote(name)} is a key, and variables are values: write the name itself.`,
          );
        pair.value =
          !isFree && CONDITIONS.includes(String(name)) && value.type === 'scalar'
            ? this.#inCondition(document, value)
            : this.#whole(document, value);
        walk(value, isFree || name === 'properties');
      }
    };
    walk(root, false);
  }

  #whole(document: YamlDocument, node: YamlNode): YamlNode {
    if (node.type !== 'scalar' || typeof node.value !== 'string' || !node.value.includes(BEGUN)) return node;
    const [, name] = WHOLE.exec(node.value) ?? [];
    if (name === undefined) {
      const text = `${quote(node.value)} has a variable within a text, and one stands for a whole value: write the text into the variable.`;
      document.fault(node, { label: '' }, text);
      return { ...node, mistagged: true };
    }
    const value = this.#valueOf(name, document, node);
    if (value === undefined) return { ...node, mistagged: true };
    this.#lent += sizeOf(value.node);
    if (this.#lent <= MAX_ALIASED_VALUES) return lend(this.findings, value, { document, at: node });
    if (!this.#isFull) {
      this.#isFull = true;
      const text = `Variables stand for more than ${MAX_ALIASED_VALUES} values altogether: write fewer of them.`;
      document.fault(node, { label: '' }, text);
    }
    return { ...node, mistagged: true };
  }

  #inCondition(document: YamlDocument, node: ScalarNode): YamlNode {
    if (typeof node.value !== 'string') return node;
    const whole = this.#whole(document, node);
    if (whole !== node) return whole;
    /** The places in the text with values, each with the place that the text before it ends at as it is written. */
    const shifts: { to: number; by: number }[] = [];
    const constants: SourcePlace[] = [];
    let folded = '';
    let at = 0;
    for (const match of node.value.matchAll(IN_CONDITION)) {
      const [found, name] = match;
      if (name === undefined) continue;
      const value = this.#valueOf(name, document, node);
      const json = value?.document.json(value.node, () => ({ label: '' }));
      if (value === undefined || json === undefined || json === UNUSABLE) return { ...node, mistagged: true };
      constants.push(value.document.place(value.node));
      folded += node.value.slice(at, match.index) + literal(json);
      at = match.index + found.length;
      shifts.push({ to: folded.length, by: at - folded.length });
    }
    if (at === 0) return node;
    const written = node.value;
    const offsetOf = (offset: number) => {
      const shift = shifts.findLast(({ to }) => to <= offset);
      return Math.max(0, Math.min(offset + (shift?.by ?? 0), written.length - 1));
    };
    return { ...node, value: folded + written.slice(at), folded: { from: written, offsetOf, constants } };
  }

  #valueOf(name: string, document: YamlDocument, node: YamlNode): Written | undefined {
    const variable = this.#variables.get(name);
    if (variable === undefined) {
      document.fault(node, { label: '' }, `${quote(`var.${name}`)} is no variable${this.#meant(name)}`);
      return undefined;
    }
    variable.isUsed = true;
    if (variable.value === undefined) {
      this.hasOpen = true;
      const text = `${quote(`var.${name}`)} has no value: give it one in the environment, or a default at ${placeText(variable.document.place(variable.node))}. "-e NAME" reads the tree in an environment.`;
      document.fault(node, { label: '' }, text);
    }
    return variable.isRefused ? undefined : variable.value;
  }

  #meant(name: string): string {
    const near = nearest(name, this.#variables.keys());
    if (near !== undefined) return `: did you mean ${quote(near)}?`;
    return ': declare it under "variables" in the tree, with its type.';
  }

  /** Warns of variables that nothing reads. */
  warnOfUnused(): void {
    for (const [name, { document, node, isUsed }] of this.#variables)
      if (!isUsed) document.warning(node, { label: `variables.${name}` }, 'is read by nothing: remove it.');
  }
}

function readVariable(document: YamlDocument, { keyNode, value: node }: Entry, about: About): Variable | undefined {
  if (node.type !== 'map') {
    document.fault(node, about, `${expectedMapping(node).slice(0, -1)}: write "{ type: number, default: 5 }".`);
    return undefined;
  }
  const entries = document.entries(node, () => about);
  for (const { key, keyNode: at } of entries)
    if (!VARIABLE_KEYS.includes(key)) document.fault(at, about, unknownKeyText(key, VARIABLE_KEYS));
  const typed = entries.find(({ key }) => key === 'type');
  const type = typed && PROPERTY_TYPES.find((known) => typed.value.type === 'scalar' && known === typed.value.value);
  if (type === undefined) {
    document.fault(
      typed?.value ?? keyNode,
      about,
      `has no type that is known: write "type: " and one of ${PROPERTY_TYPES.join(', ')}.`,
    );
    return undefined;
  }
  const given = entries.find(({ key }) => key === 'default');
  return {
    document,
    node: keyNode,
    type,
    ...(given !== undefined && { value: { document, node: given.value } }),
    isUsed: false,
  };
}

/** The number of values in a node; the parser has bounded what aliases in it stand for. */
function sizeOf(node: YamlNode): number {
  const inner = node.type === 'list' ? node.items : node.type === 'map' ? node.pairs.map(({ value }) => value) : [];
  return inner.reduce((size, item) => size + sizeOf(item), 1);
}

function typeOf(value: Json): PropertyType | 'null' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'map' : (typeof value as 'string' | 'number' | 'boolean');
}

/** A value as an operand in CEL, which reads JSON's notation. */
function literal(value: Json): string {
  const text = JSON.stringify(value);
  return typeof value === 'number' && !/^\d+(?:\.\d+)?$/.test(text) ? `(${text})` : text;
}
