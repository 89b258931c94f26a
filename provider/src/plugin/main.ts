/** The Terraform provider: what `terraform-provider-service` runs. */
import { setFlagsFromString } from 'node:v8';
import { prepared } from './prepared.js';
import { Log, levelFrom } from './wire/log.js';
import { serve } from './wire/serve.js';

// A process lives for a second or some: what V8 would spend on optimizing code, and then on memory for the garbage of a
// thousand resources, which it would sooner let grow to 50 MiB than collect, Terraform needs for itself meanwhile.
for (const flag of ['--no-opt', '--semi-space-growth-factor=1']) setFlagsFromString(flag);

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
