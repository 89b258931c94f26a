import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '@authz-service/core/json/json';
import type { Secret } from '@authz-service/core/values/secret';
import * as z from 'zod';
import type { KnownCredential } from '../auth/credential-index.js';

const revisionSchema = z.int().min(0);
/** Fingerprints of credentials. */
const fingerprintsSchema = z.array(z.string());

const entrySchema = z.discriminatedUnion('is', [
  /** A process begins: everything that is good, by the ids of tenants. What the file said before holds no more. */
  z.strictObject({
    is: z.literal('open'),
    /** When the database was last set back (RFC 3339); empty if it never was. */
    set_back: z.string(),
    tenants: z.record(z.string(), z.strictObject({ revision: revisionSchema, good: fingerprintsSchema })),
  }),
  /** The credentials of a tenant at a revision: those that are good now, and those that are no more. */
  z.strictObject({
    is: z.literal('change'),
    tenant: z.string(),
    revision: revisionSchema,
    good: fingerprintsSchema,
    ended: fingerprintsSchema,
  }),
  z.strictObject({ is: z.literal('removed'), tenant: z.string() }),
  /** Nothing else has changed until now; these tenants are at other revisions. */
  z.strictObject({ is: z.literal('alive'), revisions: z.record(z.string(), revisionSchema) }),
  z.strictObject({ is: z.literal('close') }),
]);

/** A line of the log. */
export type LogEntry = z.infer<typeof entrySchema>;

const lineSchema = z.looseObject({
  /** The number of the line in its file, from 1 on. */
  line: z.int().min(1),
  /** RFC 3339, UTC. */
  at: z.iso.datetime(),
  /** The code of the line before; empty in the first. */
  after: z.string(),
});

/** A line that was made with the key. `code` is what the next line names. */
export interface LogLine {
  line: number;
  at: string;
  after: string;
  code: string;
  entry: LogEntry;
}

/** Stands before the first line. */
export const NO_LINE = { line: 0, code: '' };

/** The key that proves lines and names credentials. Who has only the log learns nothing of them. */
export class LogKey {
  constructor(private readonly key: Secret) {}

  /** A line with its line feed: `CODE JSON`. */
  write(
    entry: LogEntry,
    { line, code: after }: Pick<LogLine, 'line' | 'code'>,
    at: string,
  ): LogLine & { text: string } {
    const json = JSON.stringify({ line: line + 1, at, after, ...entry });
    const code = this.#code('line', json);
    return { line: line + 1, at, after, code, entry, text: `${code} ${json}\n` };
  }

  /** Undefined for what was not made with this key, or not wholly. */
  read(text: string): LogLine | undefined {
    const space = text.indexOf(' ');
    const [code, json] = [text.slice(0, space), text.slice(space + 1)];
    const made = this.#code('line', json);
    if (code.length !== made.length || !timingSafeEqual(Buffer.from(code), Buffer.from(made))) return undefined;
    const { line, at, after, ...rest } = lineSchema.parse(JSON.parse(json));
    return { line, at, after, code, entry: entrySchema.parse(rest) };
  }

  /** The same for the same credential with the same secret, rights and end; another one after any change of these. */
  fingerprint({ tenant, kind, id, hash, former, grants, expiresAt, limits, person }: KnownCredential): string {
    const end = Number.isFinite(expiresAt) ? expiresAt : null;
    const said = [
      tenant,
      kind,
      id,
      hash,
      [...grants].sort(),
      end,
      limits ?? null,
      person ?? null,
      ...(former ? [former] : []),
    ];
    return this.#code('credential', canonicalJson(said)).slice(0, 22);
  }

  #code(of: 'line' | 'credential', text: string): string {
    return createHmac('sha256', this.key.reveal()).update(`${of}\n${text}`).digest('base64url');
  }
}
