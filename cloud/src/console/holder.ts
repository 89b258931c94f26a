import type { Grant } from '../auth/credential.js';
import type { CredentialKind } from '../store/store.js';

/** The credential whose holder made a link. */
export interface CredentialHolder {
  kind: CredentialKind;
  id: string;
  name: string;
  /** The generation of the secret that the credential had then: another one ends the session. */
  generation: string;
  /** The scopes of the access token in use then. */
  grants: Grant[];
  /** When the key or the access token in use then expires, in milliseconds since the epoch. */
  until?: number;
}

/** A person whom the identity provider has named. */
export interface PersonHolder {
  kind: 'person';
  /** Issuer and `sub`, which together name one person for ever: `https://id.example.com#248289761001`. */
  id: string;
  name: string;
  /** The provider that named them. */
  issuer: string;
  /** Whom the records of tenants know them as. */
  subject: { type: string; id: string };
  /** The groups that the provider named at the sign-in, by its own names. */
  providerGroups: string[];
}

/**
 * Who a session or a link is for, as the store keeps it: never what they may do, which each request finds out anew, but
 * what they may do at most.
 */
export type Holder = CredentialHolder | PersonHolder;
