/**
 * Writes cli/oclif.manifest.json, from which oclif knows every command without loading its module, so that the program
 * starts equally fast with any number of commands. The build runs this after the compiler.
 */
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Plugin } from '@oclif/core';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = join(root, 'oclif.manifest.json');

function upToDate() {
  if (!existsSync(manifest)) return false;
  const written = statSync(manifest).mtimeMs;
  const compiled = readdirSync(join(root, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => join(entry.parentPath, entry.name));
  return [join(root, 'package.json'), ...compiled].every((file) => statSync(file).mtimeMs <= written);
}

if (!upToDate()) {
  rmSync(manifest, { force: true });
  const plugin = new Plugin({ root, type: 'core', ignoreManifest: true, errorOnManifestCreate: true });
  await plugin.load();
  writeFileSync(manifest, JSON.stringify(plugin.manifest));
}
