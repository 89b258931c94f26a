/** Builds an executable from a CommonJS script and the running Node, for machines without Node. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Marks the place in Node's executable that tells whether it contains a program (Node's "Single executable
 * applications").
 */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** The bytes of the executable. It works only on Linux; elsewhere, executables are assembled and signed differently. */
export async function singleExecutable(text) {
  if (process.platform !== 'linux')
    throw new Error(`--sea makes executables for Linux, on Linux; this is ${process.platform}.`);
  const folder = mkdtempSync(join(tmpdir(), 'single-executable-'));
  try {
    const path = (name) => join(folder, name);
    writeFileSync(path('program.cjs'), text);
    const config = {
      main: path('program.cjs'),
      output: path('blob'),
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
    };
    writeFileSync(path('config.json'), JSON.stringify(config));
    execFileSync(process.execPath, ['--experimental-sea-config', path('config.json')], { stdio: 'ignore' });
    copyFileSync(process.execPath, path('program'));
    chmodSync(path('program'), 0o755);
    // Runs in a process of its own, because it prints warnings about sections that it does not know.
    const postject = fileURLToPath(import.meta.resolve('postject/dist/cli.js'));
    const args = [postject, path('program'), 'NODE_SEA_BLOB', path('blob'), '--sentinel-fuse', FUSE];
    execFileSync(process.execPath, args, { stdio: 'ignore' });
    return readFileSync(path('program'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
