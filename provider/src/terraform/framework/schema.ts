import type { Value } from './value.js';

/**
 * A type constraint of Terraform's type system. `dynamic` and tuples are left out, because generated constructs cannot
 * hold them.
 */
export type Type = 'string' | 'number' | 'bool' | { list: Type } | { set: Type } | { map: Type };

export type Nesting = 'single' | 'list' | 'set' | 'map';

interface Common {
  /** A description in Markdown. */
  description: string;
  /** Whether the configuration must give a value. */
  required?: boolean;
  /** Whether the configuration may give a value. */
  optional?: boolean;
  /** Whether the provider computes the value if the configuration gives none. */
  computed?: boolean;
  /** Whether plans hide the value. */
  sensitive?: boolean;
  /** Whether the value exists in the configuration only, and neither in plans nor in the state. */
  writeOnly?: boolean;
  /** Whether a new value replaces the object: the present one is destroyed. */
  replace?: boolean;
  /** Whether an update leaves the computed value as it is. */
  stable?: boolean;
  /**
   * The value if the configuration gives none; the attribute is then optional and computed. If the default is null, a
   * value in the state that means the same stays.
   */
  default?: Value;
  /** The only allowed values; for a collection, those of its elements. Typed constructs are generated from them. */
  oneOf?: readonly string[];
  /** Whether two different known values mean the same; the one in the state then stays. */
  same?(left: Value, right: Value): boolean;
}

export type Attribute = Common & ({ type: Type } | { nested: Nesting; attributes: Attributes });
export type Attributes = { readonly [name: string]: Attribute };

export interface Schema {
  /** Raised whenever an earlier state could no longer be read. */
  version: number;
  description: string;
  attributes: Attributes;
}
