/** The Terraform provider: what `terraform-provider-service` runs. */
import { setFlagsFromString } from 'node:v8';
import { prepared } from './prepared.js';
import { V8_FLAGS } from './v8-flags.js';
import { Log, levelFrom } from './wire/log.js';
import { serve } from './wire/serve.js';

for (const flag of V8_FLAGS) setFlagsFromString(flag);

const log = new Log(levelFrom(process.env));
serve({
  env: process.env,
  log,
  prepared,
  async load() {
    const { serviceHandlers } = await import('./handlers.js');
    return serviceHandlers(process.env, log);
  },
}).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
