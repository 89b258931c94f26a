/** The Terraform provider: the program `terraform-provider-service`. */
import { Log, levelFrom } from './protocol/log.js';
import { serve } from './protocol/serve.js';

const log = new Log(levelFrom(process.env));
serve({
  env: process.env,
  log,
  async load() {
    const { serviceHandlers } = await import('./handlers.js');
    return serviceHandlers(process.env, log);
  },
}).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
