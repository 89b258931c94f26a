import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of the console as it is sent. */
export interface SiteFile {
  type: string;
  etag: string;
  plain: Buffer;
  /** Absent where the file is smaller as it is. */
  gzip: Buffer | undefined;
  /** Whether its name changes with its content. */
  immutable: boolean;
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/**
 * The built console in memory, by path below `/console/`: nothing else on the disk can be asked for. Empty where it was
 * not built.
 */
export function readSite(): ReadonlyMap<string, SiteFile> {
  const folder = join(
    dirname(createRequire(import.meta.url).resolve('@authz-service/console/package.json')),
    'dist/site',
  );
  const site = new Map<string, SiteFile>();
  for (const file of filesIn(folder)) {
    const path = relative(folder, file).split(sep).join('/');
    const plain = readFileSync(file);
    const zipped = gzipSync(plain, { level: 9 });
    site.set(path, {
      type: TYPES[extname(file)] ?? 'application/octet-stream',
      etag: `"${createHash('sha256').update(plain).digest('base64url')}"`,
      plain,
      gzip: zipped.length < plain.length ? zipped : undefined,
      immutable: path.startsWith('assets/'),
    });
  }
  return site;
}

function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
