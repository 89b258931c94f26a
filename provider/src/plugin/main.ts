/** The Terraform provider: what `terraform-provider-service` runs. */
import { setFlagsFromString } from 'node:v8';
import { Log, levelFrom } from './wire/log.js';
import { serve } from './wire/serve.js';

// A thousand resources make much short-lived garbage, which V8 would sooner let grow to 50 MiB than collect.
setFlagsFromString('--semi-space-growth-factor=1');

const log = new Log(levelFrom(process.env));
serve({
  env: process.env,
  log,
  async load() {
    const [{ serviceProvider }, { providerHandlers }] = await Promise.all([
      import('./resources/service-provider.js'),
      import('./framework/server.js'),
    ]);
    return providerHandlers(serviceProvider(process.env), log);
  },
}).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
