import { defineConfig } from 'vite';

/** In development, requests go to a running cloud with an API key: `CONSOLE_CLOUD_URL` and `CONSOLE_API_KEY`. */
const target = process.env.CONSOLE_CLOUD_URL ?? 'http://127.0.0.1:8080';
const key = process.env.CONSOLE_API_KEY;

export default defineConfig({
  base: '/console/',
  build: {
    outDir: 'dist/site',
    // The Content-Security-Policy allows no data: URLs.
    assetsInlineLimit: 0,
    // One file of styles, there from the beginning: a page whose code is loaded again after a fault has its styles.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.txt' },
    target: 'es2023',
    rolldownOptions: {
      // Libraries mark modules for frameworks that render on servers, too.
      checks: { moduleLevelDirective: false },
    },
  },
  server: {
    proxy: {
      '/console/api': {
        target,
        ...(key !== undefined && {
          headers: { authorization: `Bearer ${key}` },
          rewrite: (path: string) => path.replace('/console/api', ''),
        }),
      },
      '/openapi.json': { target },
    },
  },
});
