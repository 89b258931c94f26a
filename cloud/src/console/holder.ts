import type { Grant } from '../auth/credential.js';
import type { CredentialKind } from '../store/store.js';

/**
 * Who a session or a link is for, as the store keeps it: never what they may do, which each request finds out anew, but
 * what they may do at most.
 */
export interface Holder {
  kind: CredentialKind;
  id: string;
  name: string;
  /** Of the secret that the credential had then: another one ends the session. */
  generation: string;
  /** The scopes of the access token in use then. */
  grants: Grant[];
}
