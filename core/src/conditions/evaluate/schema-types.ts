import type { PropertyType } from '../../records/fields.js';
import { ANY, DECLARED, either, MAP, type StaticType } from '../values/static-type.js';

/** The declared schemas of the subjects and contexts that conditions read. */
export interface DeclaredSchemas {
  /** By the type of subjects, its properties; undefined where they may be any. */
  readonly subjectTypes: ReadonlyMap<string, Readonly<Record<string, PropertyType>> | undefined>;
  readonly contextAttributes: ReadonlyMap<string, PropertyType>;
}

/** The static types of what schemas declare (docs/decisions/0025). Without schemas everything may be read. */
export class SchemaTypes {
  readonly context: StaticType;
  /** The names of the declared types of subjects. */
  readonly subjectTypes: ReadonlySet<string>;
  readonly #properties = new Map<string, StaticType>();

  constructor(private readonly declared: DeclaredSchemas) {
    const { contextAttributes, subjectTypes } = declared;
    this.subjectTypes = new Set(subjectTypes.keys());
    const members = new Map([...contextAttributes].map(([name, type]) => [name, DECLARED[type]]));
    // What modifiers read is known to everybody, and no slip for anything.
    for (const name of ['ip', 'mfa', 'time']) if (!members.has(name)) members.set(name, ANY);
    this.context =
      contextAttributes.size === 0
        ? MAP
        : { kind: 'map', members, open: true, unknown: 'nobody declares a context attribute' };
  }

  /** The type of `subject.properties` where the subject is of one of these types; of any type if none are given. */
  subjectProperties(asked?: ReadonlySet<string>): StaticType {
    const key = asked === undefined ? '' : JSON.stringify([...asked].sort());
    const known = this.#properties.get(key);
    if (known !== undefined) return known;
    const made = this.#join(asked);
    this.#properties.set(key, made);
    return made;
  }

  #join(asked: ReadonlySet<string> | undefined): StaticType {
    const types = asked === undefined ? this.subjectTypes : asked;
    const declared = [...types].map((type) => this.declared.subjectTypes.get(type));
    const closed = declared.filter((properties) => properties !== undefined);
    if (closed.length === 0) return MAP;
    const members = new Map<string, StaticType>();
    for (const properties of closed)
      for (const [name, type] of Object.entries(properties)) {
        const other = members.get(name);
        members.set(name, other === undefined ? DECLARED[type] : either(other, DECLARED[type]));
      }
    const [only] = types;
    const unknown =
      types.size === 1 ? `the subject type "${only}" declares no property` : 'no declared subject type has a property';
    return { kind: 'map', members, open: closed.length < declared.length, unknown };
  }
}

export const NO_SCHEMAS = new SchemaTypes({ subjectTypes: new Map(), contextAttributes: new Map() });
