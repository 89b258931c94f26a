import type { Log } from '../protocol/log.js';
import type { Diagnostic } from './diagnostics.js';
import type { Schema } from './schema.js';
import type { Values } from './value.js';

/** What accompanies every call. */
export interface Context {
  /** Aborted when Terraform asks the provider to stop: waits end, what was sent is awaited. */
  signal: AbortSignal;
  log: Log;
  /** Shows something beside the result. */
  report(diagnostic: Diagnostic): void;
}

/** A change that Terraform is planning, after the framework's rules: `planned` is null for a removal. */
export interface PlannedChange {
  prior: Values | null;
  planned: Values | null;
  config: Values;
  /** The key of what the state has in place of this one, where a replacement is made. */
  replaced?: string | undefined;
}

/**
 * One type of managed object. `C` is what configuring the provider gave. Every method may throw a `Refusal`; state that
 * is returned holds every attribute, none of them unknown, and what was planned as known unchanged.
 */
export interface Resource<C> {
  schema: Schema;
  /** Judges what the configuration says, as far as it is known. Needs no connection. */
  validate?(config: Values): Promise<Diagnostic[]> | Diagnostic[];
  /** Completes the plan where the framework's rules are not enough, and refuses what could not be applied. */
  plan?(client: C, change: PlannedChange, context: Context): Promise<Values> | Values;
  /** What one object of the type has and no other, as text. */
  key?(state: Values): string;
  create(client: C, planned: Values, config: Values, context: Context): Promise<Values>;
  /** The present values, or null when the object is gone. */
  read(client: C, state: Values, context: Context): Promise<Values | null>;
  update(client: C, prior: Values, planned: Values, config: Values, context: Context): Promise<Values>;
  /** `replaced` says that another takes its place in this run. */
  delete(client: C, prior: Values, context: Context, replaced: boolean): Promise<void>;
  import(client: C, id: string, context: Context): Promise<Values>;
}

/** Something that configurations read. */
export interface DataSource<C> {
  schema: Schema;
  validate?(config: Values): Promise<Diagnostic[]> | Diagnostic[];
  read(client: C, config: Values, context: Context): Promise<Values>;
}

/** Something that lasts as long as one run and is in no state. */
export interface EphemeralResource<C> {
  schema: Schema;
  validate?(config: Values): Promise<Diagnostic[]> | Diagnostic[];
  open(client: C, config: Values, context: Context): Promise<Values>;
}

/** A provider: what Terraform configures once, and what it offers by type name. */
export interface Provider<C> {
  schema: Schema;
  configure(config: Values, context: Context): Promise<C>;
  resources: { readonly [type: string]: Resource<C> };
  dataSources: { readonly [type: string]: DataSource<C> };
  ephemeralResources: { readonly [type: string]: EphemeralResource<C> };
}
