/** Builds an executable from a CommonJS script and a Node, for machines without Node. */
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

/**
 * The bytes of the executable. It runs where `target` runs, a Node executable of any platform; `node` runs here and is of
 * the same version. An executable for macOS is made on macOS, whose tools sign it.
 */
export async function singleExecutable(text, { node = process.execPath, target = node } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'single-executable-'));
  const run = (file, args) => execFileSync(file, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const program = join(folder, 'program');
  try {
    writeFileSync(join(folder, 'program.cjs'), text);
    // The names are relative, because the executable contains them: it is the same wherever it is built.
    const config = { main: 'program.cjs', output: 'blob', disableExperimentalSEAWarning: true };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
    run(node, ['--experimental-sea-config', 'config.json']);
    copyFileSync(target, program);
    chmodSync(program, 0o755);
    const mac = process.platform === 'darwin';
    if (mac) run('codesign', ['--remove-signature', program]);
    // Runs in a process of its own, because it prints warnings about sections that it does not know.
    const postject = fileURLToPath(import.meta.resolve('postject/dist/cli.js'));
    const segment = mac ? ['--macho-segment-name', 'NODE_SEA'] : [];
    run(process.execPath, [postject, program, 'NODE_SEA_BLOB', 'blob', '--sentinel-fuse', FUSE, ...segment]);
    if (mac) run('codesign', ['--sign', '-', program]);
    return readFileSync(program);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
