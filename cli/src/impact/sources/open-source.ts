import { readFile, stat } from 'node:fs/promises';
import { HISTORY_POINT_WORDS } from '@authz-service/core/state/history-point';
import type { ConnectionFlags } from '../../config/connection.js';
import { UsageError } from '../../errors/usage-error.js';
import { isOfService } from '../../history/asking.js';
import { type BundleOptions, bundleSource, isGzip } from './bundle-file.js';
import { folderSource } from './folder.js';
import { gitSource } from './git-revision.js';
import { liveSource } from './live-tenant.js';
import { alone, type SourcePair } from './source.js';
import { terraformSource } from './terraform-plan.js';

/** How the user writes where a state of a tenant is. */
const FORMS =
  'a folder of YAML files, a Git revision of one (main:tenant/), a bundle, the JSON of "terraform show -json", "cloud" or the URL of a service, "cloud@42" for a revision or a time of its history, or "none"';

export interface SourceOptions extends BundleOptions {
  connection: ConnectionFlags;
  signal: AbortSignal;
  /** The environment in which a tree is read. */
  environment?: string | undefined;
  /** Told of warnings about a tree. */
  warn(text: string): Promise<void>;
}

/**
 * Reads the state, or the two states, that an argument names. A file or folder of that name comes before a Git revision;
 * `cloud` and `none` mean what they say (`./cloud` is the folder). Throws `UsageError` where it names nothing, and what
 * the kind of source throws.
 */
export async function openSource(spec: string, options: SourceOptions): Promise<SourcePair> {
  if (spec === 'none') return alone({ label: 'none', records: [], notes: [], gaps: [] });
  if (spec === 'cloud') return alone(await liveSource(spec, options.connection, options.signal));
  const at = /^cloud@(.+)$/.exec(spec)?.[1];
  if (at !== undefined) {
    if (!isOfService(at)) throw new UsageError(`"${spec}" names no point of history: write ${HISTORY_POINT_WORDS}.`);
    return alone(await liveSource(spec, { ...options.connection, at }, options.signal));
  }
  if (/^https?:\/\//.test(spec)) {
    return alone(await liveSource(spec, { ...options.connection, url: spec }, options.signal));
  }
  const stats = await stat(spec).catch(() => undefined);
  if (stats === undefined && spec.includes(':')) return alone(await gitSource(spec, options.warn, options.environment));
  if (stats === undefined) throw new UsageError(`"${spec}" is not there. Write ${FORMS}.`);
  if (stats.isDirectory() || /\.ya?ml$/.test(spec))
    return alone(await folderSource(spec, options.warn, options.environment));
  const bytes = await readFile(spec);
  if (isGzip(bytes)) return alone(await bundleSource(spec, bytes, options));
  const head = bytes.toString('utf8', 0, 2000);
  if (/^\s*\{/.test(head)) {
    // Terraform's JSON begins with its version; a bundle has one record per line and may be large.
    if (/"format_version"\s*:/.test(head)) return terraformSource(spec, bytes.toString('utf8'));
    if (/"tenants"\s*:/.test(head)) return alone(await bundleSource(spec, bytes, options));
    throw new UsageError(`"${spec}" is JSON, but neither a bundle nor the output of "terraform show -json FILE".`);
  }
  const remedy = head.startsWith('PK') ? `a saved Terraform plan is read from "terraform show -json ${spec}"` : FORMS;
  throw new UsageError(`"${spec}" cannot be read as the records of a tenant: write ${remedy}.`);
}
