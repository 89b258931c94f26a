/**
 * Bundles the built agent into the one file that `service-agent` runs: Node takes longer to find and read its five
 * hundred modules than to run them.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outfile = join(root, 'agent/dist/service-agent.mjs');

/** Some of what it depends on are CommonJS modules, which ask for Node's own modules by `require`. */
const REQUIRE = [
  "import { createRequire as createRequireOfBundle } from 'node:module';",
  'const require = createRequireOfBundle(import.meta.url);',
].join('\n');

const { outputFiles } = await build({
  entryPoints: [join(root, 'agent/dist/main.js')],
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
// In place at once, and only where it is new: agents may be starting from it.
if (!existsSync(outfile) || readFileSync(outfile, 'utf8') !== text) {
  const temporary = `${outfile}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, outfile);
}
