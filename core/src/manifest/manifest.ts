import type { Address } from '../records/address.js';
import type { DeclaredRecord } from '../records/registry.js';
import type { ParsedText } from './parsed-text.js';

/** One YAML file; `path` is as the user should read it in messages. */
export interface ManifestFile {
  path: string;
  text: string;
  /** The YAML of this very text, if it has been parsed ahead. */
  parsed?: ParsedText;
  /** Whether it says what is different in the environment that the tree is read in; at most one file does. */
  isEnvironment?: boolean;
}

/** A place in a file; line and column count from 1, the column in UTF-16 units as editors do. */
export interface SourcePlace {
  file: string;
  line: number;
  column: number;
}

/** A place in the file of an environment. */
export interface EnvironmentPlace extends SourcePlace {
  /** The condition as the base writes it, where the environment gives a variable in it. */
  written?: string;
}

/** Lines of a file, both ends included. */
export interface Lines {
  file: string;
  first: number;
  last: number;
}

/** One thing wrong with a tree, or worth a look. */
export interface ManifestFault extends SourcePlace {
  /** The record at fault, where it is known. */
  address?: Address;
  /** RFC 6901 pointer into the record's fields. */
  pointer?: string;
  /** Begins with the address or the path in the YAML, names the value and the remedy. */
  detail: string;
}

/** The gates of an environment: flags of the same names, and what must be done besides. */
export interface EnvironmentGates {
  no_new_access?: boolean | undefined;
  max_gained?: number | undefined;
  /** Patterns of what `max_gained` counts. */
  for?: string[] | undefined;
  require?: ('tests' | 'lint' | 'impact')[] | undefined;
  /** How long a commit must have been enforced where it is promoted from, as a duration. */
  soak?: string | undefined;
}

/** All that a tree of files declares. */
export interface Manifest {
  version: 1;
  /** The only tenant this may be applied to. */
  tenant?: string;
  /** The owner of what is declared. */
  stack: string;
  /** The environment that the tree was read in. */
  environment?: string;
  /** Demands of the environment on what a plan does to access. */
  gates?: EnvironmentGates;
  records: DeclaredRecord[];
  moves: { from: Address; to: Address }[];
  /** Records that another stack declares and this one mentions. */
  external: Address[];
}

export interface ManifestResult {
  /** Sorted by file and position; `manifest` is there only when this is empty. */
  faults: ManifestFault[];
  warnings: ManifestFault[];
  manifest?: Manifest;
  /** Whether the tree has variables that only an environment gives a value, and was read in none. */
  needsEnvironment: boolean;
  /**
   * Returns where a record, or the field that `pointer` names, is declared or listed as external; or a character of the
   * field.
   */
  placeOf(address: Address, pointer?: string, offset?: number): SourcePlace | undefined;
  /**
   * Returns where the environment that the tree is read in adds or removes a record, or gives it a field; undefined for what
   * is as in the base.
   */
  environmentPlaceOf(address: Address, field?: string): EnvironmentPlace | undefined;
  /** Whether requests may send and name what says nothing of it, by the defaults of the tree. */
  fromRequests: boolean;
  /** The lines of a record that is declared. */
  linesOf(address: Address): Lines | undefined;
}

/** The stack of a tree that names none. */
export const DEFAULT_STACK = 'default';

/** A fault on one line: `file:line:column: detail`. */
export function faultText(fault: ManifestFault): string {
  return `${fault.file}:${fault.line}:${fault.column}: ${fault.detail}`;
}
