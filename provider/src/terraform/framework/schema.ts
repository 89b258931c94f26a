import type { Value } from './value.js';

/** A type constraint of Terraform's type system. `dynamic` and tuples are left out: generated constructs cannot hold them. */
export type Type = 'string' | 'number' | 'bool' | { list: Type } | { set: Type } | { map: Type };

export type Nesting = 'single' | 'list' | 'set' | 'map';

interface Common {
  /** Markdown. */
  description: string;
  /** The configuration must give it. */
  required?: boolean;
  /** The configuration may give it. */
  optional?: boolean;
  /** The provider gives it where the configuration does not. */
  computed?: boolean;
  /** Shown by no plan. */
  sensitive?: boolean;
  /** In the configuration only: neither in plans nor in the state. */
  writeOnly?: boolean;
  /** Another value makes another object: the present one is destroyed. */
  replace?: boolean;
  /** A computed value that an update leaves as it is. */
  stable?: boolean;
  /**
   * The value where the configuration gives none; the attribute is then optional and computed. With null, a value in the
   * state that means the same stays.
   */
  default?: Value;
  /** The only values there are; of a collection, those of its elements. Typed constructs are made of it. */
  oneOf?: readonly string[];
  /** Whether two known values mean the same although they differ: the one in the state then stays. */
  same?(left: Value, right: Value): boolean;
}

export type Attribute = Common & ({ type: Type } | { nested: Nesting; attributes: Attributes });
export type Attributes = { readonly [name: string]: Attribute };

export interface Schema {
  /** Raised whenever a state written before could no longer be read. */
  version: number;
  description: string;
  attributes: Attributes;
}
