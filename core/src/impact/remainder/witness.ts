import type { JsonObject } from '../../json.js';

/** What a request must send besides what is known, so that it is answered as claimed. */
export interface Witness {
  readonly context: JsonObject;
  /** Only those that are not recorded. */
  readonly subjectProperties: JsonObject;
  readonly actionProperties: JsonObject;
  readonly resourceProperties: JsonObject;
  /** Where they are variables; undefined otherwise, and where the request leaves them out. */
  readonly subjectId: string | undefined;
  readonly resourceId: string | undefined;
  readonly resourceName: string | undefined;
  /** The paths of roles that the request names. */
  readonly roles: readonly string[];
  /** The instant of the decision, in milliseconds: one of the known span. */
  readonly now: number;
}
