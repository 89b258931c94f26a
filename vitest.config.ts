import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Tests read the sources of every workspace, so that a unit test needs no build; end-to-end tests start the built programs. */
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@authz-service\/sdk\/(.*)$/, replacement: `${root}sdk/node/src/$1.ts` },
      { find: /^@authz-service\/(core|cloud|agent|provider|cli)\/(.*)$/, replacement: `${root}$1/src/$2.ts` },
    ],
  },
  test: {
    include: ['**/src/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    // End-to-end tests mostly wait for the processes they start, so two at once suit even two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // For what hangs: on a slow or busy machine what works may well take a minute.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
