/** The Terraform provider: what `terraform-provider-service` runs. */
import { Log, levelFrom } from './wire/log.js';
import { serve } from './wire/serve.js';

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
