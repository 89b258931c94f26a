import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));

/** It starts a server of its own, which takes as long as all that needs none. */
const POSTGRES = 'cloud/src/store/postgres/postgres.test.ts';

/** Tests read the sources of every workspace, so that a unit test needs no build; end-to-end tests start the built programs. */
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@authz-service\/embedded$/, replacement: `${root}embedded/src/index.ts` },
      { find: /^@authz-service\/sdk$/, replacement: `${root}sdk/node/src/index.ts` },
      { find: /^@authz-service\/sdk\/(.*)$/, replacement: `${root}sdk/node/src/$1.ts` },
      {
        find: /^@authz-service\/provider\/constructs\/(.*)$/,
        replacement: `${root}provider/src/cdktf/generated/$1.ts`,
      },
      {
        find: /^@authz-service\/(core|pdp|cloud|embedded|agent|provider|cli)\/(.*)$/,
        replacement: `${root}$1/src/$2.ts`,
      },
    ],
  },
  test: {
    // End-to-end tests mostly wait for the processes they start, so two at once suit even two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      project(
        'unit',
        ['{*,sdk/*,examples/*}/src/**/*.test.ts'],
        ['test/src/{conformance,e2e,faults,naive,sdk}/**', '**/*property.test.ts', POSTGRES],
      ),
      project('databases', [POSTGRES]),
      project('properties', ['**/*property.test.ts']),
      project('conformance', ['test/src/conformance/**/*.test.ts']),
      project('e2e', ['test/src/e2e/**/*.test.ts']),
      project('sdk', ['test/src/sdk/**/*.test.ts']),
      project('faults', ['test/src/faults/**/*.test.ts']),
    ],
  },
});

/** Only `e2e`, `faults` and `sdk` need a build. */
function project(name: string, include: string[], exclude: string[] = []): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      // Unit tests share nothing but modules: one set of these for each worker takes a third off their time.
      isolate: name !== 'unit',
      setupFiles: name === 'unit' || name === 'properties' ? [`${root}test/src/random-seed.ts`] : [],
      globalSetup: name === 'unit' ? [`${root}scripts/constructs-setup.mjs`] : [],
      include,
      exclude: ['**/node_modules/**', '**/dist/**', ...exclude],
      // For what hangs: on a slow or busy machine what works may well take a minute.
      testTimeout: name === 'properties' ? 600_000 : 120_000,
      hookTimeout: 120_000,
    },
  };
}
