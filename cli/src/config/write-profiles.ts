import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Document, parseDocument } from 'yaml';
import { UsageError } from '../errors/usage-error.js';
import { NO_NAME } from './parse-profiles.js';
import { type ProfileEntry, profilesPath, readProfiles } from './profiles.js';

/**
 * Saves a profile; the rest of the file stays as it is. Throws `UsageError` if the profile exists, unless `replace` is
 * set.
 */
export async function writeProfile(name: string, entry: ProfileEntry, replace: boolean, path = profilesPath()) {
  if (name === '__proto__') throw new UsageError(`${NO_NAME}.`);
  const file = await readProfiles(path);
  if (file?.profiles.has(name) && !replace) {
    throw new UsageError(`There is already a profile "${name}": use another name, or replace it with --replace.`);
  }
  await change(path, (document) => document.setIn(['profiles', name], entry));
}

/** Removes a profile from the file. Throws `UsageError` naming the existing profiles. */
export async function removeProfile(name: string, path = profilesPath()): Promise<void> {
  const profiles = (await readProfiles(path))?.profiles;
  if (!profiles?.has(name)) {
    const known = [...(profiles?.keys() ?? [])].join(', ') || 'none';
    throw new UsageError(`There is no profile "${name}". Existing profiles: ${known}.`);
  }
  await change(path, (document) => document.deleteIn(['profiles', name]));
}

/**
 * The file holds secrets: from its first byte on, only its owner can read it, and a crash leaves the old or the new
 * one.
 */
async function change(path: string, edit: (document: Document) => void): Promise<void> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const document = parseDocument(text);
  edit(document);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}`;
  try {
    await writeFile(next, document.toString(), { mode: 0o600, flag: 'wx' });
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}
