import type { Json } from '../../json/json.js';
import type { ValueMap } from '../values/value.js';
import type { ChosenRole, FreeNames, FreeText, TimeSpan } from './partial-request.js';

/** The maps whose members requests may send. */
export type PropertyRoot = 'context' | 'subject' | 'resource' | 'action';

/** Something that requests choose, and that conditions read. */
export type Attribute =
  /** A member of the context or of properties; the whole map where `name` is undefined. */
  | { readonly kind: 'property'; readonly key: string; readonly root: PropertyRoot; readonly name: string | undefined }
  | { readonly kind: 'subjectId' | 'subjectType' | 'actionName'; readonly key: string; readonly text: FreeText }
  | {
      readonly kind: 'resourceId';
      readonly key: string;
      readonly text: FreeText | undefined;
      readonly names: FreeNames | undefined;
    }
  | { readonly kind: 'resourceName'; readonly key: string; readonly names: FreeNames }
  /** Whether the request chooses a role, by one of its names. */
  | { readonly kind: 'role'; readonly key: string; readonly role: ChosenRole }
  /** The ancestors of a type: those that are known, with ids that may not be, and perhaps others. */
  | {
      readonly kind: 'ancestors';
      readonly key: string;
      readonly path: string;
      readonly known: readonly ValueMap[];
    }
  /** The instant of the decision, in milliseconds. */
  | { readonly kind: 'now'; readonly key: string; readonly span: TimeSpan };

/** Values that a request gives to attributes; undefined stands for an absent one. */
export type Assignment = ReadonlyMap<Attribute, Json | undefined>;

const ROOT_WORDS: { readonly [R in PropertyRoot]: string } = {
  context: 'context',
  subject: 'subject.properties',
  resource: 'resource.properties',
  action: 'action.properties',
};

/** Makes attributes, each once. */
export class AttributePool {
  readonly #made = new Map<string, Attribute>();
  readonly #numbers = new Map<object, number>();

  property(root: PropertyRoot, name: string | undefined): Attribute {
    const key = name === undefined ? `${ROOT_WORDS[root]}[*]` : `${ROOT_WORDS[root]}[${JSON.stringify(name)}]`;
    return this.#of(key, () => ({ kind: 'property', key, root, name }));
  }

  subjectId(text: FreeText): Attribute {
    return this.#text('subjectId', `subject.id/${this.#number(text)}`, text);
  }

  subjectType(text: FreeText): Attribute {
    return this.#text('subjectType', `subject.type/${this.#number(text)}`, text);
  }

  actionName(text: FreeText): Attribute {
    return this.#text('actionName', `action.name/${this.#number(text)}`, text);
  }

  #text(kind: 'subjectId' | 'subjectType' | 'actionName', key: string, text: FreeText): Attribute {
    return this.#of(key, () => ({ kind, key, text }));
  }

  resourceId(free: FreeText | FreeNames): Attribute {
    const key = `resource.id/${this.#number(free)}`;
    const [text, names] = 'admitsName' in free ? [undefined, free] : [free, undefined];
    return this.#of(key, () => ({ kind: 'resourceId', key, text, names }));
  }

  resourceName(names: FreeNames): Attribute {
    const key = `resource.name/${this.#number(names)}`;
    return this.#of(key, () => ({ kind: 'resourceName', key, names }));
  }

  role(role: ChosenRole): Attribute {
    const key = `role/${JSON.stringify([role.anyOf, role.otherwise])}`;
    return this.#of(key, () => ({ kind: 'role', key, role }));
  }

  /** `known` are those without others. */
  ancestors(path: string, known: readonly ValueMap[]): Attribute {
    const key = `ancestors/${path}/${JSON.stringify(known)}`;
    return this.#of(key, () => ({ kind: 'ancestors', key, path, known }));
  }

  now(span: TimeSpan): Attribute {
    const key = `now/${span.from}/${span.until}`;
    return this.#of(key, () => ({ kind: 'now', key, span }));
  }

  #of(key: string, make: () => Attribute): Attribute {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.#made.set(key, made);
    return made;
  }

  #number(object: object): number {
    const known = this.#numbers.get(object) ?? this.#numbers.size;
    this.#numbers.set(object, known);
    return known;
  }
}
