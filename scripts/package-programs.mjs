/**
 * Makes single executables, for machines without Node, and zips them into dist/release with their licences.
 *   node scripts/package-programs.mjs [--out DIR] [--program NAME]... [--platform linux-x64|linux-arm64|win-x64]...
 *
 * Without --platform, for the platform it runs on, from the Node that runs it. Otherwise from Nodes that npm has, on Linux x64.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeSums, zipped } from './archive.mjs';
import { PROGRAMS, programInOneFile } from './bundle-program.mjs';
import { licencesOf } from './licences.mjs';
import { nodeOfPlatform, PLATFORMS } from './node-of-platform.mjs';
import { singleExecutable } from './single-executable.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8'));

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist/release') },
    program: { type: 'string', multiple: true, default: PROGRAMS },
    platform: { type: 'string', multiple: true },
  },
});
const unknown = [
  ...values.program.filter((name) => !PROGRAMS.includes(name)),
  ...(values.platform ?? []).filter((name) => !PLATFORMS.includes(name)),
];
if (unknown.length > 0) {
  process.stderr.write(`Unknown: ${unknown.join(', ')}. Known: ${[...PROGRAMS, ...PLATFORMS].join(', ')}\n`);
  process.exit(1);
}

/** Returns a platform as Go and Terraform name it: `linux_amd64`. */
function platformName(platform) {
  const [os, arch] = platform.split('-');
  return `${os.replace(/^win(32)?$/, 'windows')}_${arch.replace('x64', 'amd64')}`;
}

/** The licence of Node, where it is known. */
function licenceOf(node) {
  const path = join(dirname(dirname(node)), 'LICENSE');
  return existsSync(path) ? [`Node.js\n\n${readFileSync(path, 'utf8').trim()}`] : [];
}

const folder = mkdtempSync(join(tmpdir(), 'programs-'));
try {
  const nodes = (values.platform ?? []).map((platform) => [platform, nodeOfPlatform(platform, folder)]);
  const own = [`${process.platform}-${process.arch}`, process.execPath];
  // The program is prepared by a Node of the same version that runs here.
  const node =
    nodes.length > 0 ? (nodes.find(([name]) => name === own[0])?.[1] ?? nodeOfPlatform(own[0], folder)) : own[1];
  mkdirSync(values.out, { recursive: true });
  for (const name of values.program) {
    const { text, packages } = await programInOneFile(name);
    for (const [platform, target] of nodes.length > 0 ? nodes : [own]) {
      const provider = name === 'terraform-provider-service' ? `${name}_v${version}` : name;
      const executable = platform.startsWith('win') ? `${provider}.exe` : provider;
      const files = {
        [executable]: [await singleExecutable(text, { node, target }), 0o755],
        LICENSE: [readFileSync(join(root, 'LICENSE')), 0o644],
        'LICENSES.txt': [Buffer.from(licencesOf(packages, ...licenceOf(node))), 0o644],
      };
      const archive = join(values.out, `${name}_${version}_${platformName(platform)}.zip`);
      writeFileSync(archive, zipped(files));
      process.stdout.write(`${archive}\n`);
    }
    writeSums(values.out, `${name}_${version}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
