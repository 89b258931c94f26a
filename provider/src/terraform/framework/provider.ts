import type { Log } from '../protocol/log.js';
import type { Diagnostic } from './diagnostics.js';
import type { Schema } from './schema.js';
import type { Values } from './value.js';

/** The context of every call. */
export interface Context {
  /**
   * Aborted when Terraform asks the provider to stop: waits end, but the answers to sent requests are still awaited.
   */
  signal: AbortSignal;
  log: Log;
  /** Shows a message in addition to the result. */
  report(diagnostic: Diagnostic): void;
}

/** A change that Terraform is planning, after the framework's rules were applied. `planned` is null for a removal. */
export interface PlannedChange {
  prior: Values | null;
  planned: Values | null;
  config: Values;
  /** The key of the object in the state that this one replaces, if it is a replacement. */
  replaced?: string | undefined;
}

/**
 * One type of managed object. `C` is the result of configuring the provider. Every method may throw a `Refusal`. A
 * state that is returned holds every attribute, none of them unknown, and leaves what was planned as known unchanged.
 */
export interface Resource<C> {
  schema: Schema;
  /** Checks the configuration as far as it is known. Needs no connection. */
  validate?(config: Values): Promise<Diagnostic[]> | Diagnostic[];
  /** Completes the plan where the framework's rules are not enough, and refuses what could not be applied. */
  plan?(client: C, change: PlannedChange, context: Context): Promise<Values> | Values;
  /** A text that identifies one object of the type. */
  key?(state: Values): string;
  create(client: C, planned: Values, config: Values, context: Context): Promise<Values>;
  /** The current values, or null if the object is gone. */
  read(client: C, state: Values, context: Context): Promise<Values | null>;
  update(client: C, prior: Values, planned: Values, config: Values, context: Context): Promise<Values>;
  /** `replacedBy` is the key of the object that takes its place in this run, if one does; it may be the same key. */
  delete(client: C, prior: Values, context: Context, replacedBy: string | undefined): Promise<void>;
  import(client: C, id: string, context: Context): Promise<Values>;
  /**
   * The state of this type for an object whose state another type of the provider has held, as `moved` blocks between
   * types ask for; undefined if there is no such move. Throws a `Refusal` if this object cannot be moved.
   */
  moved?(from: string, state: Values): Values | undefined;
}

/** A data source, which configurations read. */
export interface DataSource<C> {
  schema: Schema;
  validate?(config: Values): Promise<Diagnostic[]> | Diagnostic[];
  read(client: C, config: Values, context: Context): Promise<Values>;
}

/** An ephemeral resource, which lasts for one run and is in no state. */
export interface EphemeralResource<C> {
  schema: Schema;
  validate?(config: Values): Promise<Diagnostic[]> | Diagnostic[];
  open(client: C, config: Values, context: Context): Promise<Values>;
}

/** A provider: Terraform configures it once and uses what it offers by type name. */
export interface Provider<C> {
  schema: Schema;
  configure(config: Values, context: Context): Promise<C>;
  resources: { readonly [type: string]: Resource<C> };
  dataSources: { readonly [type: string]: DataSource<C> };
  ephemeralResources: { readonly [type: string]: EphemeralResource<C> };
}
