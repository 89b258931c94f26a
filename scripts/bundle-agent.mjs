/**
 * Bundles the built agent into the one file that `service-agent` runs, and each of its threads into another: Node takes
 * longer to find and read five hundred modules than to run them.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licencesOf, packagesIn } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Some dependencies are CommonJS modules, which load Node's own modules with `require`. */
const REQUIRE = [
  "import { createRequire as createRequireOfBundle } from 'node:module';",
  'const require = createRequireOfBundle(import.meta.url);',
].join('\n');

/** The program, and what it finds beside itself: its threads, and what few agents need. */
export const AGENT_FILES = [
  { from: 'agent/dist/main.js', to: 'service-agent.mjs' },
  { from: 'embedded/dist/bundle/unpack-thread.js', to: 'unpack-thread.js' },
  { from: 'embedded/dist/bundle/compare-thread.js', to: 'compare-thread.js' },
  { from: 'pdp/dist/sinks/otlp-request.js', to: 'otlp-request.js' },
  { from: 'pdp/dist/tracing/otlp-tracing.js', to: 'otlp-tracing.js' },
];

/** Bundles a file, and returns what esbuild says of the bundle. */
async function bundle({ from, to }) {
  const outfile = join(root, 'agent/dist', to);
  const { outputFiles, metafile } = await build({
    entryPoints: [join(root, from)],
    outfile,
    bundle: true,
    write: false,
    metafile: true,
    absWorkingDir: root,
    external: ['./otlp-request.js', './otlp-tracing.js'],
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: REQUIRE },
    logLevel: 'warning',
  });
  write(outfile, outputFiles[0].text);
  return metafile.inputs;
}

/** Replaces a file in one step, and only if it differs: agents may be starting from it. */
function write(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const inputs = {};
  for (const one of AGENT_FILES) Object.assign(inputs, await bundle(one));
  write(join(root, 'agent/dist/LICENSES.txt'), licencesOf(packagesIn({ inputs })));
}
