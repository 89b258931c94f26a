import type { AgentStore } from './agent-store.js';
import type { SessionStore } from './console-sessions.js';
import type { CredentialSwitch } from './credential-switch.js';
import type { EpochStore } from './epoch-store.js';
import type { KeyStore } from './key-store.js';

/** The parts of a store that are about the whole database, for what sets it back. */
export type StoreOfAll = AgentStore & CredentialSwitch & EpochStore & KeyStore & SessionStore;
