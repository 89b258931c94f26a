/**
 * Bundles the built provider into the one file that Terraform starts: `terraform-provider-service_v<version>.cjs`.
 * Does nothing while the bundle is newer than all that it is made of.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['core/dist', 'sdk/node/dist', 'provider/dist', 'package-lock.json', 'scripts/bundle-provider.mjs'];

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return /\.(?:js|mjs|json)$/.test(path) ? stat.mtimeMs : 0;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** Zod brings its messages in fifty languages; every byte is parsed at each of Terraform's starts of the provider. */
const withoutLocales = {
  name: 'without-locales',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: '' }));
  },
};

const COMMON = {
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/**
 * Terraform starts the provider three or four times a command, and V8 reads every function of a program before the first
 * line runs. So what answers the handshake is the program, and the provider a text in it, compiled by the first call that
 * needs it; the schema, for which alone one of the starts is, is a text, too.
 */
function prepared(schema, provider) {
  const modules = {
    prepared: `export const prepared = { GetProviderSchema: Buffer.from(${JSON.stringify(schema.toString('base64'))}, 'base64') };`,
    handlers: `
      import { compileFunction } from 'node:vm';
      const loaded = { exports: {} };
      const source = ${JSON.stringify(provider)};
      compileFunction(source, ['exports', 'require', 'module'], { filename: 'provider.js' })(loaded.exports, require, loaded);
      export const { serviceHandlers } = loaded.exports;`,
  };
  return {
    name: 'prepared',
    setup(build) {
      build.onLoad({ filter: /[\\/]plugin[\\/](?:prepared|handlers)\.js$/ }, ({ path }) => ({
        contents: modules[basename(path, '.js')],
      }));
    },
  };
}

async function schemaOf(folder) {
  const load = (path) => import(pathToFileURL(join(folder, 'plugin', path)).href);
  const [{ serviceHandlers }, { Log }, { METHODS }, { encode }] = await Promise.all(
    ['handlers.js', 'wire/log.js', 'wire/messages.js', 'wire/protobuf.js'].map(load),
  );
  const handlers = serviceHandlers({}, new Log('error'));
  return encode(METHODS.GetProviderSchema.response, await handlers.GetProviderSchema({}));
}

async function bundleProvider() {
  const { version } = JSON.parse(readFileSync(join(root, 'provider/package.json'), 'utf8'));
  const folder = join(root, 'provider/dist');
  const outfile = join(folder, `terraform-provider-service_v${version}.cjs`);
  if (existsSync(outfile) && statSync(outfile).mtimeMs >= Math.max(...SOURCES.map((path) => newest(join(root, path)))))
    return;

  const { build } = await import('esbuild');
  const textOf = async (entry, options) => {
    const made = await build({ ...COMMON, ...options, entryPoints: [join(folder, 'plugin', entry)] });
    return made.outputFiles[0].text;
  };
  // What is compiled from a text has no import(), but the program's own require.
  const provider = await textOf('handlers.js', { supported: { 'dynamic-import': false }, plugins: [withoutLocales] });
  const program = await textOf('main.js', {
    banner: { js: '#!/usr/bin/env node' },
    plugins: [prepared(await schemaOf(folder), provider)],
  });
  const made = `${outfile}.${process.pid}.tmp`;
  writeFileSync(made, program);
  chmodSync(made, 0o755);
  for (const name of readdirSync(folder))
    if (/^terraform-provider-service_v.*\.cjs$/.test(name)) rmSync(join(folder, name));
  renameSync(made, outfile);
}

await bundleProvider();
