import type { JsonObject } from './json/json.js';

/** A decision request (docs/semantics.md section 1, AuthZEN 1.0), validated and with the aliases resolved. */
export interface DecisionRequest {
  subject: { type: string; id: string; properties?: JsonObject; roles?: readonly string[] };
  /** At least one of `id` and `name` is there; `name` wins. */
  resource: { type: string; id?: string; name?: string; properties?: JsonObject };
  action: { name: string; properties?: JsonObject };
  context?: JsonObject;
}
