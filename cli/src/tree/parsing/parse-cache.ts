import { createHash, randomUUID } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { PARSING } from '@authz-service/core/manifest/pack-nodes';
import type { ParsedText } from '@authz-service/core/manifest/parsed-text';

/** The most bytes that all entries take together, and what is left when that was more. */
const BYTES_MAX = 128 * 1024 * 1024;
const BYTES_KEPT = BYTES_MAX / 2;
/** The least that a file takes. */
const BLOCK = 4096;
/** How old the mark of an entry's last use may become before it is renewed. */
const FRESH_MS = 24 * 60 * 60 * 1000;
const DIGEST_BYTES = 32;

/**
 * Parsed YAML texts, remembered by their content in a folder of the user's: `service/parsed` in `XDG_CACHE_HOME`, or else
 * in `~/.cache`. Whatever goes wrong with it only means that texts are parsed again.
 */
export class ParseCache {
  /** Says which parser found what is remembered: what another one found is not looked at. */
  readonly #parser = `${PARSING} ${createRequire(import.meta.url)('yaml/package.json').version}\n`;
  #wrote = false;

  private constructor(readonly folder: string) {}

  /** None where `SERVICE_TREE_CACHE` is `false`, there is no such folder, or others could write in it. */
  static open(variables: Readonly<Record<string, string | undefined>>): ParseCache | undefined {
    if (variables.SERVICE_TREE_CACHE === 'false') return undefined;
    const { XDG_CACHE_HOME: named = '' } = variables;
    try {
      const folder = join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'service', 'parsed');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return isOwn(folder) ? new ParseCache(folder) : undefined;
    } catch {
      return undefined;
    }
  }

  keyOf(text: string): string {
    return createHash('sha256').update(this.#parser).update(text).digest('hex');
  }

  read(key: string): ParsedText | undefined {
    try {
      const path = join(this.folder, key);
      const parsed = decoded(key, readFileSync(path));
      const now = Date.now();
      if (now - statSync(path).mtimeMs > FRESH_MS) utimesSync(path, now / 1000, now / 1000);
      return parsed;
    } catch {
      return undefined;
    }
  }

  write(key: string, parsed: ParsedText): void {
    const next = join(this.folder, `${key}.${randomUUID()}`);
    try {
      writeFileSync(next, encoded(key, parsed), { mode: 0o600, flag: 'wx' });
      renameSync(next, join(this.folder, key));
      this.#wrote = true;
    } catch {
      remove(next);
    }
  }

  /** Removes what was not used for the longest time, if there is too much. */
  trim(max = BYTES_MAX, kept = BYTES_KEPT): void {
    if (!this.#wrote) return;
    try {
      const entries = readdirSync(this.folder).flatMap((name) => {
        const path = join(this.folder, name);
        const stats = statSync(path, { throwIfNoEntry: false });
        // Another process has trimmed it.
        if (stats === undefined) return [];
        return [{ path, bytes: Math.ceil(stats.size / BLOCK) * BLOCK, mtimeMs: stats.mtimeMs }];
      });
      let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
      if (bytes <= max) return;
      for (const entry of entries.sort((left, right) => left.mtimeMs - right.mtimeMs)) {
        if (bytes <= kept) break;
        remove(entry.path);
        bytes -= entry.bytes;
      }
    } catch {
      // The folder is gone, or cannot be read.
    }
  }
}

/** Leaves what cannot be removed. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

/** Whether nobody but the user can change what is in a folder: plans are made of it. */
function isOwn(folder: string): boolean {
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) return false;
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
}

/** The digest of the key and of what follows, the length of the JSON, the JSON, and the bytes of the nodes. */
function encoded(key: string, { bytes, ...more }: ParsedText): Buffer {
  const head = Buffer.from(JSON.stringify(more));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const body = Buffer.concat([length, head, bytes]);
  return Buffer.concat([digestOf(key, body), body]);
}

/** Throws if it is not what was written under this key. */
function decoded(key: string, entry: Buffer): ParsedText {
  const body = entry.subarray(DIGEST_BYTES);
  if (!digestOf(key, body).equals(entry.subarray(0, DIGEST_BYTES))) throw new Error('The entry is damaged.');
  const start = 4 + body.readUInt32LE(0);
  const { texts, refused } = JSON.parse(body.toString('utf8', 4, start)) as Omit<ParsedText, 'bytes'>;
  return { bytes: new Uint8Array(body.subarray(start)), texts, refused };
}

function digestOf(key: string, body: Buffer): Buffer {
  return createHash('sha256').update(key).update(body).digest();
}
