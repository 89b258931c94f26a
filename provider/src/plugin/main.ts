/** The Terraform provider: what `terraform-provider-service` runs. */
import { prepared } from './prepared.js';
import { spare } from './v8-flags.js';
import { Log, levelFrom } from './wire/log.js';
import { serve } from './wire/serve.js';

const log = new Log(levelFrom(process.env));
serve({
  env: process.env,
  log,
  prepared,
  async load() {
    const { serviceHandlers } = await import('./handlers.js');
    const handlers = serviceHandlers(process.env, log);
    return {
      ...handlers,
      async ConfigureProvider(request) {
        const answer = await handlers.ConfigureProvider(request);
        // Terraform takes a moment before it asks for more.
        setImmediate(spare);
        return answer;
      },
    };
  },
}).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
