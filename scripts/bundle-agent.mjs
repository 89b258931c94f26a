/**
 * Bundles the built agent into the one file that `service-agent` runs, and each of its threads into another: Node takes
 * longer to find and read five hundred modules than to run them.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Some dependencies are CommonJS modules, which load Node's own modules with `require`. */
const REQUIRE = [
  "import { createRequire as createRequireOfBundle } from 'node:module';",
  'const require = createRequireOfBundle(import.meta.url);',
].join('\n');

/** The program, and its threads, which it finds beside itself. */
export const AGENT_FILES = [
  { from: 'main.js', to: 'service-agent.mjs' },
  { from: 'bundle/unpack-thread.js', to: 'unpack-thread.js' },
  { from: 'bundle/compare-thread.js', to: 'compare-thread.js' },
];

async function bundle({ from, to }) {
  const outfile = join(root, 'agent/dist', to);
  const { outputFiles } = await build({
    entryPoints: [join(root, 'agent/dist', from)],
    outfile,
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: REQUIRE },
    logLevel: 'warning',
  });
  const [{ text }] = outputFiles;
  // Each file is replaced in one step, and only if it differs: agents may be starting from it.
  if (existsSync(outfile) && readFileSync(outfile, 'utf8') === text) return;
  const temporary = `${outfile}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, outfile);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const one of AGENT_FILES) await bundle(one);
