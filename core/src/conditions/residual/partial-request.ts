import type { JsonObject } from '../../json/json.js';
import type { Ancestry } from '../values/scope.js';

/** A text that is not recorded, so that requests may give any: any but those that a record has. */
export interface FreeText {
  /** Whether something without a record may have it. The same object stands for the same texts wherever it is used. */
  admits(text: string): boolean;
}

/**
 * The names that requests give a resource without a record: its id, its name, or both. With a name that no record has the
 * id may be any (docs/semantics.md 1.3).
 */
export interface FreeNames {
  readonly names: true;
  /** Whether no record has this name. The same object stands for the same names wherever it is used. */
  admitsName(name: string): boolean;
  /** Whether a request with this id and no name finds no record. */
  admitsId(id: string): boolean;
}

/** Any text, and any names: those of a request of which nothing is known. */
export const ANY_TEXT: FreeText = { admits: () => true };
export const ANY_NAMES: FreeNames = { names: true, admitsName: () => true, admitsId: () => true };

/** All properties, none, or those of these names. */
export type SentProperties = boolean | ReadonlySet<string>;

/** The properties of subject, resource or action. */
export interface PartialProperties {
  /** Those that are recorded: requests are looked at that leave them alone (docs/semantics.md 10.4). */
  readonly recorded: JsonObject;
  /** Those that are not recorded and that requests may send, each with any value; the others are absent. */
  readonly sent: SentProperties;
  /** Those that are not recorded and that no request sends all the same. */
  readonly withheld?: ReadonlySet<string>;
}

export interface PartialSubject extends PartialProperties {
  /** A variable where it stands for every type that nothing mentions. */
  readonly type: string | FreeText;
  readonly id: string | FreeText;
}

export interface PartialResource extends PartialProperties {
  /** The bare name of its type, and the application that the type belongs to. */
  readonly type: string;
  readonly application: string;
  /** The id and name of a record; or the names that requests choose, which without an id is one of them alone. */
  readonly names:
    | { readonly id: string | FreeText | undefined; readonly name: string | undefined }
    | { readonly id: undefined; readonly name: FreeNames }
    | FreeNames;
}

/** The questions that conditions may ask about the principals that the subject acts as (docs/semantics.md 4.11, 4.12). */
export interface PartialPrincipals {
  inGroup(path: string): boolean;
  /** `absent` where the subject holds the role only if the resource lies where nobody says. */
  hasRole(path: string): boolean | 'absent' | ChosenRole;
}

/**
 * A role that the subject holds by what requests choose, each for itself: by any of these. They are paths of roles that it
 * names, or of recorded resources in which it says that the resource lies.
 */
export interface ChosenRole {
  readonly anyOf: readonly string[];
  /** The outcome otherwise; false unless it is given. */
  readonly otherwise?: 'absent' | undefined;
}

/** The instants that are looked at, in milliseconds: those from `from` until just before `until`. */
export interface TimeSpan {
  readonly from: number;
  /** Infinite without an end. */
  readonly until: number;
}

/** All that is known of a request before it is made. */
export interface PartialRequest {
  /** The whole context, where it is known: then so is the instant, which is `span.from`. */
  readonly context?: JsonObject | undefined;
  readonly subject: PartialSubject;
  /** The name is a variable where it stands for every action that nothing names. */
  readonly action: { readonly name: string | FreeText; readonly sent: boolean; readonly recorded?: JsonObject };
  readonly resource: PartialResource;
  /** The ancestors of the resource; without it, it lies nowhere. */
  readonly ancestry?: Ancestry;
  /** Whether it may lie below more than that, so that conditions may find other ancestors besides. */
  readonly among?: boolean;
  /** Without it, the subject is a member of nothing and holds no role. */
  readonly principals?: PartialPrincipals;
  readonly span: TimeSpan;
}
